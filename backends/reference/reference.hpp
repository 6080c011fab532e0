// The reference backend: one device that interprets the IR. It is reached by name only and never preferred.
#pragma once

#include "backends/backend.hpp"

namespace quern::backends {

/// The one instance; its device has the id "reference" and is not listed.
backend& reference_backend();

}  // namespace quern::backends
