#include "backends/stub.hpp"

namespace quern::backends {

std::vector<device_description> stub::enumerate(std::string& reason) {
    reason = reason_;
    return {};
}

target stub::find_target(std::string_view) { return {}; }
std::unique_ptr<device> stub::open(std::string_view, const open_options&) { fail(); }
artifact stub::compile(const ir::module&, const target&, const compile_options&) { fail(); }
std::vector<stage> stub::inspect(const ir::module&, const target&, const compile_options&) { fail(); }
void stub::fail() const { throw device_error(name_ + ": " + reason_); }

}  // namespace quern::backends
