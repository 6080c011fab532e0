// The CUDA backend: NVIDIA's devices through their driver, opened at run time.
#pragma once

#include "backends/backend.hpp"

namespace quern::backends {

backend& cuda_backend();

}  // namespace quern::backends
