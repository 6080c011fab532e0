#include "backends/reference/reference.hpp"

#include <fmt/format.h>

#include "backends/reference/device.hpp"
#include "dsl/ir/canonical.hpp"

namespace quern::reference {
namespace {

using backends::artifact;
using backends::compile_options;
using backends::target;

class reference_backend final : public backends::backend {
public:
    std::string_view name() const override { return "reference"; }

    std::vector<backends::device_description> enumerate(std::string& reason) override {
        reason.clear();
        backends::device_description d;
        d.id = "reference";
        d.name = "reference interpreter";
        d.rank = 5;
        d.listed = false;
        return {d};
    }

    std::unique_ptr<backends::device> open(std::string_view id, const backends::open_options& options) override {
        if (id != "reference") throw usage_error(fmt::format("the reference backend has no device '{}'", id));
        return make_device(options);
    }

    target find_target(std::string_view name) override { return name == "reference" ? make_target({}) : target{}; }

    /// Nothing is generated: the canonical form is the program.
    artifact compile(const ir::module& m, const target&, const compile_options&) override {
        return {ir::to_bytes(m, ir::side_tables::include), "qir", {}};
    }

    std::vector<backends::stage> inspect(const ir::module&, const target&, const compile_options&) override { return {}; }
};

}  // namespace
}  // namespace quern::reference

namespace quern::backends {

backend& reference_backend() {
    static reference::reference_backend instance;
    return instance;
}

}  // namespace quern::backends
