#include "tests/conformance/configuration.hpp"

#include "backends/reference/interpreter.hpp"
#include "backends/registry.hpp"
#include "dsl/ir/canonical.hpp"
#include "dsl/ir/validator.hpp"
#include "platform/environment.hpp"

namespace quern::tests {
namespace {

std::vector<configuration> every_configuration() {
    return {configuration{"cpu", 4, 4}, configuration{"cpu", 8, 2}, configuration{"cpu", 16, 1}, configuration{"cuda", 32},
            configuration{"vulkan:0", 0}, configuration{"vulkan:0+descriptors", 0}};
}

}  // namespace

std::span<const configuration> configurations() {
    static const std::vector<configuration> list = [] {
        std::vector<configuration> wanted = every_configuration();
        if (const auto only = platform::environment_variable("QUERN_TEST_DEVICE"))
            std::erase_if(wanted, [&](const configuration& c) {
                return !(c.device + " at " + std::to_string(c.lanes)).starts_with(*only);
            });
        return wanted;
    }();
    return list;
}

void run_on_reference(experiment& e, std::uint32_t lanes) {
    std::vector<std::span<std::byte>> buffers(e.buffers.begin(), e.buffers.end());
    reference::run_arguments a;
    a.buffers = buffers;
    a.values = e.values;
    a.extent = e.extent;
    a.groups = e.groups;
    a.lanes = lanes;
    reference::interpret(*e.kernel, a);
}

testbed::testbed(const configuration& c, backends::backend& b, std::unique_ptr<backends::device> d)
    : configuration_(c), backend_(b), device_(std::move(d)) {}

std::unique_ptr<testbed> testbed::open(const configuration& c, std::string& reason) {
    const std::string name = c.device.substr(0, c.device.find(':'));
    backends::backend* const b = backends::find(name);
    if (b == nullptr) {
        reason = "no backend '" + c.device + "'";
        return nullptr;
    }
    const auto found = b->enumerate(reason);
    if (found.empty()) return nullptr;
    backends::open_options options;
    options.lanes = c.lanes;
    auto device = b->open(name == c.device ? found.front().id : c.device, options);
    const std::uint32_t lanes = c.lanes != 0 ? c.lanes : device->target().info.subgroup_size;
    return std::unique_ptr<testbed>(new testbed({c.device, lanes}, *b, std::move(device)));
}

void testbed::run(experiment& e) {
    ir::validate(*e.kernel);
    const ir::module m = ir::canonicalise(*e.kernel);
    backends::compile_options options;
    options.lanes = configuration_.lanes;
    options.vectors = configuration_.vectors;
    const auto program = device_->load(backend_.compile(m, device_->target(), options), m, options);
    const auto queue = device_->make_queue();

    std::vector<std::unique_ptr<backends::memory>> memories;
    std::vector<backends::buffer_argument> arguments;
    auto content = e.buffers.begin();
    for (const ir::parameter& p : m.parameters) {
        if (p.kind != ir::parameter_kind::buffer) continue;
        memories.push_back(device_->allocate(content->size(), backends::memory_kind::device));
        queue->encode_upload(*content, *memories.back(), 0);
        arguments.push_back({memories.back().get(), 0, content->size() / m[p.type].size_bytes});
        ++content;
    }
    backends::dispatch d;
    d.program = program.get();
    d.buffers = arguments;
    d.values = e.values;
    d.extent = e.extent;
    d.groups = e.groups;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (m.launch == ir::launch_kind::over && m.workgroup_size[axis] != 0)
            d.groups[axis] = (e.extent[axis] + m.workgroup_size[axis] - 1) / m.workgroup_size[axis];
    queue->encode(d);
    for (std::size_t i = 0; i < memories.size(); ++i) queue->encode_download(*memories[i], 0, e.buffers[i]);
    queue->submit();
    queue->synchronize();
}

}  // namespace quern::tests
