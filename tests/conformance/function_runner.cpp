#include "tests/conformance/function_runner.hpp"

#include <stdexcept>

#include "backends/backend.hpp"
#include "backends/registry.hpp"
#include "dsl/ir/canonical.hpp"
#include "dsl/ir/validator.hpp"
#include "tests/conformance/sketch.hpp"

namespace quern::tests {

struct function_runner::state {
    std::size_t arity = 0;
    arguments shape = arguments::varying;
    std::unique_ptr<backends::device> device;
    std::unique_ptr<backends::program> program;
    std::unique_ptr<backends::queue> queue;
    std::vector<std::unique_ptr<backends::memory>> memories;
    std::size_t capacity_bytes = 0;
};

function_runner::~function_runner() = default;

function_runner::function_runner(ir::op code, ir::scalar_kind k, std::uint32_t lanes, ir::math_mode mode, arguments a)
    : state_(std::make_unique<state>()) {
    backends::backend* const b = backends::find("cpu");
    std::string reason;
    const auto found = b ? b->enumerate(reason) : decltype(b->enumerate(reason)){};
    if (found.empty()) throw std::runtime_error("no CPU device: " + reason);
    backends::open_options options;
    options.lanes = lanes;
    state_->device = b->open(found.front().id, options);
    state_->arity = static_cast<std::size_t>(ir::info(code).arity);
    state_->shape = a;

    sketch kernel("function");
    kernel.m.math = mode;
    const auto i = kernel.leaf(ir::op::global_id), from = a == arguments::uniform ? kernel.u32(0) : i;
    const auto out = kernel.buffer(kernel.scalar(k), ir::access::write);
    std::vector<ir::value_id> operands;
    for (std::size_t n = 0; n < state_->arity; ++n)
        operands.push_back(kernel.load(kernel.buffer(kernel.scalar(k), ir::access::read), from));
    kernel.store(out, i, kernel.b.define(code, operands));
    ir::module& made = kernel.finish();
    ir::validate(made);
    const ir::module m = ir::canonicalise(made);
    backends::compile_options compile;
    compile.lanes = lanes;
    state_->program = state_->device->load(b->compile(m, state_->device->target(), compile), m, compile);
    state_->queue = state_->device->make_queue();
}

void function_runner::run_bytes(std::vector<std::span<const std::byte>> in, std::span<std::byte> out, std::size_t element) {
    state& s = *state_;
    if (out.size() > s.capacity_bytes) {
        s.memories.clear();
        for (std::size_t n = 0; n <= s.arity; ++n) s.memories.push_back(s.device->allocate(out.size(), backends::memory_kind::device));
        s.capacity_bytes = out.size();
    }
    std::vector<backends::buffer_argument> arguments{{s.memories[0].get(), 0, out.size() / element}};
    for (std::size_t n = 0; n < s.arity; ++n) {
        s.queue->encode_upload(in[n], *s.memories[n + 1], 0);
        arguments.push_back({s.memories[n + 1].get(), 0, in[n].size() / element});
    }
    backends::dispatch d;
    d.program = s.program.get();
    d.buffers = arguments;
    d.extent = {out.size() / element, 1, 1};
    d.groups = {1, 1, 1};
    s.queue->encode(d);
    s.queue->encode_download(*s.memories[0], 0, out);
    s.queue->submit();
    s.queue->synchronize();
}

}  // namespace quern::tests
