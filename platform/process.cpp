#include "platform/process.hpp"

#include <atomic>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace quern::platform {
namespace {

std::atomic<std::uint32_t> forks{0};

}  // namespace

std::uint32_t fork_count() noexcept {
#ifndef _WIN32
    [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
#endif
    return forks;
}

}  // namespace quern::platform
