#include "backends/cpu/cpu.hpp"

#include "backends/cpu/codegen_module.hpp"
#include "backends/cpu/device.hpp"
#include "backends/cpu/target.hpp"
#include "dsl/ir/canonical.hpp"
#include "dsl/ir/text.hpp"

namespace quern::cpu {
namespace {

struct results {
    std::vector<std::byte> object;
    std::string llvm;
    std::string assembly;
    std::string error;
};

void receive(void* context, std::uint32_t stage, const void* data, std::size_t size) {
    results& r = *static_cast<results*>(context);
    const auto* bytes = static_cast<const std::byte*>(data);
    const std::string text(static_cast<const char*>(data), size);
    switch (stage) {
        case quern_cpu_stage_object: r.object.assign(bytes, bytes + size); break;
        case quern_cpu_stage_llvm: r.llvm = text; break;
        case quern_cpu_stage_assembly: r.assembly = text; break;
        case 0: r.error = text; break;
    }
}

results generate(const ir::module& m, const backends::target& t, const backends::compile_options& o,
                 std::uint32_t stages) {
    const std::vector<std::byte> bytes = ir::to_bytes(m, ir::side_tables::include);
    const std::string cpu = llvm_cpu(t);
    quern_cpu_request request{};
    request.ir = reinterpret_cast<const std::uint8_t*>(bytes.data());
    request.ir_size = bytes.size();
    request.cpu = cpu.empty() ? nullptr : cpu.c_str();
    request.features = cpu.empty() ? nullptr : "";
    request.lanes = o.lanes != 0 ? o.lanes : t.info.subgroup_size;
    request.vectors = o.vectors;
    request.debug = o.debug ? 1 : 0;
    request.stages = stages;
    results r;
    if (codegen_module().compile(&request, receive, &r) != 0)
        throw compile_error("kernel \"" + m.name + "\" for " + t.name + ": " + r.error, r.error, ir::print(m));
    return r;
}

class cpu_backend final : public backends::backend {
public:
    std::string_view name() const override { return "cpu"; }

    std::vector<backends::device_description> enumerate(std::string&) override {
        return {{.id = "cpu", .name = host_target(0).info.name, .rank = 3}};
    }

    std::unique_ptr<backends::device> open(std::string_view, const backends::open_options& options) override {
        return open_device(options);
    }

    backends::target find_target(std::string_view name) override { return cpu::find_target(name); }

    backends::artifact compile(const ir::module& m, const backends::target& t,
                               const backends::compile_options& o) override {
        return {generate(m, t, o, quern_cpu_stage_object).object, "elf", {}};
    }

    std::vector<backends::stage> inspect(const ir::module& m, const backends::target& t,
                                         const backends::compile_options& o) override {
        results r = generate(m, t, o, quern_cpu_stage_llvm | quern_cpu_stage_assembly);
        return {{"llvm", std::move(r.llvm)}, {"assembly", std::move(r.assembly)}};
    }
};

}  // namespace
}  // namespace quern::cpu

namespace quern::backends {

backend& cpu_backend() {
    static cpu::cpu_backend backend;
    return backend;
}

}  // namespace quern::backends
