// A backend that is not in this build: offers nothing and says why.
#pragma once

#include <string>
#include <string_view>

#include "backends/backend.hpp"

namespace quern::backends {

class stub final : public backend {
public:
    stub(std::string_view name, std::string_view reason) : name_(name), reason_(reason) {}

    std::string_view name() const override { return name_; }
    std::vector<device_description> enumerate(std::string& reason) override;
    target find_target(std::string_view name) override;
    /// These throw device_error with the reason; nothing that enumerate or find_target says leads here.
    std::unique_ptr<device> open(std::string_view id, const open_options& options) override;
    artifact compile(const ir::module& m, const target& t, const compile_options& o) override;
    std::vector<stage> inspect(const ir::module& m, const target& t, const compile_options& o) override;

private:
    [[noreturn]] void fail() const;

    std::string name_;
    std::string reason_;
};

}  // namespace quern::backends
