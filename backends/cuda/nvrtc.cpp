#include "backends/cuda/nvrtc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <semaphore>
#include <thread>

#include <quern/error.hpp>

#include "platform/shared_library.hpp"

namespace quern::cuda {
namespace {

constexpr const char* places[] = {
    "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.12",
    "/usr/local/cuda/targets/x86_64-linux/lib/libnvrtc.so.13", "/usr/local/cuda/targets/x86_64-linux/lib/libnvrtc.so.12",
};

constexpr std::ptrdiff_t most_compilations = 8;

/// Half of the machine, since the process around us has work of its own.
std::counting_semaphore<most_compilations>& compilations() {
    static std::counting_semaphore<most_compilations> slots(
        std::clamp<std::ptrdiff_t>(std::thread::hardware_concurrency() / 2, 1, most_compilations));
    return slots;
}

class slot {
public:
    slot() { compilations().acquire(); }
    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;
    ~slot() { compilations().release(); }
};

}  // namespace

const nvrtc* nvrtc::find(std::string& reason) {
    struct search {
        nvrtc library;
        std::string reason;
        bool is_found = library.open(reason);
    };
    static const search* const found = new search;  // outlives static objects that still compile
    reason = found->reason;
    return found->is_found ? &found->library : nullptr;
}

bool nvrtc::open(std::string& reason) {
    std::string error;
    for (const char* place : places) {
        platform::shared_library library(place, error);
        if (!library.is_open()) continue;
        std::string missing;
        const auto bind = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(name));
            if (function == nullptr) missing = name;
        };
        bind(call_.version, "nvrtcVersion");
        bind(call_.architecture_count, "nvrtcGetNumSupportedArchs");
        bind(call_.architectures, "nvrtcGetSupportedArchs");
        bind(call_.create, "nvrtcCreateProgram");
        bind(call_.destroy, "nvrtcDestroyProgram");
        bind(call_.compile, "nvrtcCompileProgram");
        bind(call_.cubin_size, "nvrtcGetCUBINSize");
        bind(call_.cubin, "nvrtcGetCUBIN");
        bind(call_.ptx_size, "nvrtcGetPTXSize");
        bind(call_.ptx, "nvrtcGetPTX");
        bind(call_.log_size, "nvrtcGetProgramLogSize");
        bind(call_.log, "nvrtcGetProgramLog");
        bind(call_.error_text, "nvrtcGetErrorString");
        if (!missing.empty() || call_.version(&major_, &minor_) != 0) {
            reason = fmt::format("{} lacks {}", place, missing.empty() ? "a version" : missing);
            continue;
        }
        if (major_ < 12) {
            reason = fmt::format("{} is version {}; 12.0 or newer is needed", place, version());
            continue;
        }
        library.keep_open();
        find_architectures();
        reason.clear();
        return true;
    }
    if (reason.empty())
        reason = "libnvrtc.so.13 or .12 was not found, nor under /usr/local/cuda; it comes with the CUDA toolkit (" + error + ")";
    return false;
}

void nvrtc::find_architectures() {
    int count = 0;
    if (call_.architecture_count(&count) != 0 || count <= 0) return;
    architectures_.resize(static_cast<std::size_t>(count));
    if (call_.architectures(architectures_.data()) != 0) architectures_.clear();
    std::ranges::sort(architectures_);
}

nvrtc::result nvrtc::compile(const std::string& source, const std::string& name, const std::vector<std::string>& options,
                             output o) const {
    const slot limited;
    const auto check = [&](int code, const char* what) {
        if (code != 0) throw compile_error(fmt::format("nvrtc: {}: {}", what, call_.error_text(code)), {}, source);
    };
    program* p = nullptr;
    check(call_.create(&p, source.c_str(), name.c_str(), 0, nullptr, nullptr), "nvrtcCreateProgram");
    const auto destroy = [this](program* owned) { call_.destroy(&owned); };
    const std::unique_ptr<program, decltype(destroy)> owner(p, destroy);

    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    const int code = call_.compile(p, static_cast<int>(words.size()), words.data());

    result r;
    std::size_t size = 0;
    if (call_.log_size(p, &size) == 0 && size > 1) {
        r.log.resize(size);
        if (call_.log(p, r.log.data()) != 0) r.log.clear();
        r.log.resize(std::strlen(r.log.c_str()));
    }
    if (code != 0) {
        if (r.log.empty()) r.log = call_.error_text(code);
        return r;
    }
    const bool is_cubin = o == output::cubin;
    check((is_cubin ? call_.cubin_size : call_.ptx_size)(p, &size), "size of the code");
    r.code.resize(size);
    check((is_cubin ? call_.cubin : call_.ptx)(p, reinterpret_cast<char*>(r.code.data())), "the code");
    r.is_ok = true;
    return r;
}

}  // namespace quern::cuda
