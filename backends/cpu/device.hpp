// A CPU device: this host with a number of threads.
#pragma once

#include <memory>

#include "backends/backend.hpp"

namespace quern::cpu {

std::unique_ptr<backends::device> open_device(const backends::open_options& options);

}  // namespace quern::cpu
