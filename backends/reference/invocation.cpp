#include "backends/reference/invocation.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <quern/error.hpp>

#include "dsl/ir/evaluate.hpp"

namespace quern::reference {
namespace {

bool less(ir::scalar_kind k, std::uint64_t a, std::uint64_t b) {
    const std::array<std::uint64_t, 2> operands{a, b};
    return ir::evaluate(ir::op::lt, ir::scalar_kind::boolean, k, operands) != 0;
}

}  // namespace

invocation::invocation(const decoded_kernel& k, const launch_memory& launch, std::span<std::uint64_t> shared)
    : kernel_(k), module_(k.module()), step_budget_(launch.step_budget), registers_(k.register_count()),
      local_(k.local_count()), memory_{k, launch.buffers, launch.values, shared, local_, registers_} {}

void invocation::start(const position& p) {
    position_ = p;
    steps_ = 0;
    phase_ = 0;
    std::ranges::fill(local_, 0);
    frames_.clear();
    push(module_.body);
    stopped_ = stop::none;
}

stop invocation::run() {
    stopped_ = stop::none;
    while (stopped_ == stop::none && !frames_.empty()) {
        frame& top = frames_.back();
        const auto& statements = module_[top.block].statements;
        if (top.next == statements.size()) {
            end_block();
            continue;
        }
        arrived_ = {top.block.number, top.next, phase_};
        spend_step();
        ++top.next;
        stopped_ = std::visit([this](const auto& s) { return execute(s); }, statements[arrived_.statement]);
    }
    if (stopped_ == stop::none) stopped_ = stop::finished;
    return stopped_;
}

ir::location_id invocation::location() const {
    const auto& locations = module_.blocks[arrived_.block].locations;
    return arrived_.statement < locations.size() ? locations[arrived_.statement] : ir::location_id{};
}

void invocation::spend_step() {
    if (++steps_ > step_budget_)
        throw device_error(fmt::format("{}an invocation has executed {} statements; it seems to loop for ever",
                                       kernel_.describe(location()), step_budget_));
}

void invocation::push(ir::block_id b, role r) {
    frame f;
    f.block = b;
    f.role = r;
    frames_.push_back(f);
}

// ---- control flow ----

void invocation::end_block() {
    const frame ended = frames_.back();
    frames_.pop_back();
    switch (ended.role) {
        case role::plain: return;
        case role::for_body: {
            const ir::for_statement& loop = *ended.counted;
            const ir::scalar_kind kind = module_.type_of(loop.induction).scalar;
            const std::array<std::uint64_t, 2> left{scalar(loop.last), scalar(loop.induction)};
            // last - induction counts up to all values of the kind: unsigned, so that the end is never wrapped past
            if (ir::evaluate(ir::op::sub, kind, kind, left) <= scalar(loop.step)) return;
            const std::array<std::uint64_t, 2> next{scalar(loop.induction), scalar(loop.step)};
            registers_[kernel_.slot(loop.induction)] = ir::evaluate(ir::op::add, kind, kind, next);
            frames_.push_back(ended);
            frames_.back().next = 0;
            return;
        }
        case role::while_head:
        case role::while_body: {
            const ir::while_statement& loop = *ended.conditional;
            if (ended.role == role::while_head && scalar(loop.condition) == 0) return;
            frames_.push_back(ended);
            frame& next = frames_.back();
            next.next = 0;
            next.role = ended.role == role::while_head ? role::while_body : role::while_head;
            next.block = ended.role == role::while_head ? loop.body : loop.head;
            return;
        }
    }
}

/// Drops what lies inside the innermost loop, whose frame is then on top.
void invocation::leave_to_loop() {
    while (!frames_.empty() && frames_.back().role == role::plain) frames_.pop_back();
    if (frames_.empty())
        throw internal_error(kernel_.describe(location()) +
                             "break or continue outside of a loop; please report this with the IR dump");
}

stop invocation::execute(const ir::if_statement& s) {
    const ir::block_id taken = scalar(s.condition) != 0 ? s.then_block : s.else_block;
    if (taken) push(taken);
    return stop::none;
}

stop invocation::execute(const ir::for_statement& s) {
    const ir::scalar_kind kind = module_.type_of(s.induction).scalar;
    if (!less(kind, scalar(s.first), scalar(s.last))) return stop::none;
    if (!less(kind, 0, scalar(s.step)))
        throw device_error(kernel_.describe(location()) + "the step of a range is not positive");
    registers_[kernel_.slot(s.induction)] = scalar(s.first);
    push(s.body, role::for_body);
    frames_.back().counted = &s;
    return stop::none;
}

stop invocation::execute(const ir::while_statement& s) {
    push(s.head, role::while_head);
    frames_.back().conditional = &s;
    return stop::none;
}

stop invocation::execute(const ir::switch_statement& s) {
    const std::uint64_t selector = scalar(s.selector);
    const auto cases = module_.cases_of(s);
    const auto hit = std::ranges::find(cases, selector, &ir::switch_case::literal);
    const ir::block_id taken = hit != cases.end() ? hit->body : s.default_block;
    if (taken) push(taken);
    return stop::none;
}

stop invocation::execute(const ir::break_statement&) {
    leave_to_loop();
    frames_.pop_back();
    return stop::none;
}

stop invocation::execute(const ir::continue_statement&) {
    leave_to_loop();
    frame& loop = frames_.back();
    if (loop.role == role::while_head) {
        loop.next = 0;
        return stop::none;
    }
    end_block();
    return stop::none;
}

stop invocation::execute(const ir::return_statement&) {
    frames_.clear();
    return stop::finished;
}

stop invocation::execute(const ir::barrier&) { return stop::barrier; }

/// Invocations run one after another: memory is always in order.
stop invocation::execute(const ir::fence&) { return stop::none; }

stop invocation::execute(const ir::assume& s) {
    if (scalar(s.condition) == 0) throw device_error(kernel_.describe(location()) + "what assume() promised is false");
    return stop::none;
}

// ---- values and memory ----

stop invocation::execute(const ir::declare& s) {
    const std::uint32_t components = kernel_.types().components(module_[s.variable].type);
    std::fill_n(local_.begin() + kernel_.variable_first(s.variable.number), components, 0);
    return stop::none;
}

stop invocation::execute(const ir::store& s) {
    write(memory_, registers(s.value), resolve(memory_, s.place, location()));
    return stop::none;
}

stop invocation::execute(const ir::define& s) {
    switch (kernel_[s.value].action) {
        case action::exchange: exchanged_ = s.value; return stop::exchange;
        case action::uniform_load:
            if (phase_ == 0) {  // before the load: stay here
                --frames_.back().next;
                phase_ = 1;
                return stop::barrier;
            }
            compute(s.value);
            phase_ = 0;
            return stop::barrier;
        case action::elementwise: case action::constant: case action::parameter: case action::buffer_size:
        case action::induction: case action::position: case action::reinterpret: case action::construct:
        case action::extract: case action::insert: case action::extract_dynamic: case action::swizzle:
        case action::load: case action::atomic: compute(s.value); return stop::none;
    }
    return stop::none;
}

}  // namespace quern::reference
