// The CPU backend's one door.
#pragma once

#include "backends/backend.hpp"

namespace quern::backends {

backend& cpu_backend();

}  // namespace quern::backends
