// Stands in for the Vulkan backend where its development packages were missing.
#include "backends/stub.hpp"

namespace quern::backends {

backend& vulkan_backend() {
    static stub backend("vulkan", "not built in");
    return backend;
}

}  // namespace quern::backends
