// The recorder's open blocks and what a kernel says of itself.
#include <fmt/format.h>

#include <algorithm>

#include <quern/error.hpp>

#include "dsl/trace/recorder.hpp"

namespace quern::trace {

ir::block_id recorder::open_block() {
    const ir::block_id b{static_cast<std::uint32_t>(module_.blocks.size())};
    module_.blocks.emplace_back();
    block_open_.push_back(true);
    terminated_.push_back(false);
    open_.push_back(b);
    return b;
}

ir::block_id recorder::close_block() {
    const ir::block_id b = open_.back();
    open_.pop_back();
    block_open_[b.number] = false;
    return b;
}

void recorder::push_statement(ir::statement s, ir::location_id l) {
    if (is_unreachable()) return;
    ir::block& b = module_[open_.back()];
    b.statements.push_back(s);
    b.locations.push_back(l);
}

void recorder::append(ir::statement s, const quern_detail::location& where) { push_statement(s, locate(where)); }

void recorder::leave(ir::statement s, const quern_detail::location& where) {
    if (!std::holds_alternative<ir::return_statement>(s)) {
        const bool in_loop = std::ranges::any_of(frames_, [](const frame& f) {
            return f.kind == frame_kind::loop_for || f.kind == frame_kind::loop_while;
        });
        if (!in_loop) fail("break_ and continue_ belong inside for_ or while_: to end the invocation write return_()", where);
    }
    if (std::ranges::any_of(frames_, [](const frame& f) { return f.kind == frame_kind::loop_head; }))
        fail("the condition of while_ cannot leave the loop: write break_ in its body", where);
    append(s, where);
    terminated_[open_.back().number] = true;
}

void recorder::begin_if(quern_detail::node condition, const quern_detail::location& where) {
    const ir::value_id c = materialise(condition, where);
    frames_.push_back({frame_kind::then, where, ir::if_statement{c, {}, {}}});
    open_block();
}

void recorder::begin_else() {
    if (!top_is(frame_kind::then)) return notice("a traced block is not balanced", last_location_);
    std::get<ir::if_statement>(frames_.back().statement).then_block = close_block();
    frames_.back().kind = frame_kind::between;
    open_block();
}

void recorder::enter_else() {
    if (!top_is(frame_kind::between)) return notice("a traced block is not balanced", last_location_);
    frames_.back().kind = frame_kind::otherwise;
}

void recorder::end_if() {
    if (!top_is(frame_kind::then) && !top_is(frame_kind::between) && !top_is(frame_kind::otherwise))
        return notice("a traced block is not balanced: an if_ was kept in a variable", last_location_);
    frame f = std::move(frames_.back());
    frames_.pop_back();
    auto& s = std::get<ir::if_statement>(f.statement);
    if (f.kind == frame_kind::then) {  // an exception left the first branch
        s.then_block = close_block();
        open_block();
    }
    s.else_block = close_block();
    if (f.kind == frame_kind::between && !module_[s.else_block].statements.empty())
        notice("this if_ was kept in a variable, so that what follows became its else branch: write it as a statement",
               f.where);
    push_statement(s, locate(f.where));
}

quern_detail::node recorder::begin_for(quern_detail::node first, quern_detail::node last, quern_detail::node step,
                                 const quern_detail::type_desc& type, const quern_detail::location& where) {
    const ir::value_id a = materialise(first, where);
    const ir::value_id b = materialise(last, where);
    const ir::value_id c = materialise(step, where);
    open_block();
    node_record r;
    r.kind = node_kind::pinned;
    r.op = ir::op::induction;
    r.type = type_of(type);
    r.operands.first = static_cast<std::uint32_t>(node_operands_.size());
    const ir::value_id i = emit(r);
    module_.value_locations[i.number] = locate(where);
    name(i, next_name(where, declared_as::lambda_parameter));
    frames_.push_back({frame_kind::loop_for, where, ir::for_statement{i, a, b, c, {}}});
    nodes_.push_back(r);
    return handle(static_cast<std::uint32_t>(nodes_.size() - 1));
}

void recorder::end_for() {
    if (!top_is(frame_kind::loop_for)) return notice("a traced block is not balanced", last_location_);
    frame f = std::move(frames_.back());
    frames_.pop_back();
    auto& s = std::get<ir::for_statement>(f.statement);
    s.body = close_block();
    push_statement(s, locate(f.where));
}

void recorder::begin_while(const quern_detail::location& where) {
    frames_.push_back({frame_kind::loop_head, where, ir::while_statement{}});
    open_block();
}

void recorder::begin_while_body(quern_detail::node condition, const quern_detail::location& where) {
    if (!top_is(frame_kind::loop_head)) return notice("a traced block is not balanced", where);
    const ir::value_id c = materialise(condition, where);
    auto& s = std::get<ir::while_statement>(frames_.back().statement);
    s.condition = c;
    s.head = close_block();
    frames_.back().kind = frame_kind::loop_while;
    open_block();
}

void recorder::end_while() {
    if (!top_is(frame_kind::loop_while)) return notice("a traced block is not balanced", last_location_);
    frame f = std::move(frames_.back());
    frames_.pop_back();
    auto& s = std::get<ir::while_statement>(f.statement);
    s.body = close_block();
    push_statement(s, locate(f.where));
}

void recorder::begin_switch(quern_detail::node selector, const quern_detail::type_desc& type, const quern_detail::location& where) {
    (void)type;
    const ir::value_id v = materialise(selector, where);
    frame f{frame_kind::cases, where, ir::switch_statement{v, {}, {}}};
    f.first_case = pending_cases_.size();
    frames_.push_back(std::move(f));
}

void recorder::begin_case(std::uint64_t literal) {
    if (!top_is(frame_kind::cases)) return notice("a traced block is not balanced", last_location_);
    const auto& s = std::get<ir::switch_statement>(frames_.back().statement);
    const std::uint32_t width = ir::bit_width(module_.type_of(s.selector).scalar);
    frame f{frame_kind::one_case, frames_.back().where, ir::break_statement{}};
    f.literal = width >= 64 ? literal : literal & ((std::uint64_t{1} << width) - 1);
    frames_.push_back(std::move(f));
    open_block();
}

void recorder::begin_otherwise() {
    begin_case(0);
    if (top_is(frame_kind::one_case)) frames_.back().is_default = true;
}

void recorder::end_case() {
    if (!top_is(frame_kind::one_case)) return notice("a traced block is not balanced", last_location_);
    const frame f = std::move(frames_.back());
    frames_.pop_back();
    const ir::block_id body = close_block();
    if (f.is_default) std::get<ir::switch_statement>(frames_.back().statement).default_block = body;
    else pending_cases_.push_back({f.literal, body});
}

void recorder::end_switch() {
    if (!top_is(frame_kind::cases)) return notice("a traced block is not balanced", last_location_);
    frame f = std::move(frames_.back());
    frames_.pop_back();
    auto& s = std::get<ir::switch_statement>(f.statement);
    s.cases = {static_cast<std::uint32_t>(module_.cases.size()),
               static_cast<std::uint32_t>(pending_cases_.size() - f.first_case)};
    module_.cases.insert(module_.cases.end(), pending_cases_.begin() + static_cast<std::ptrdiff_t>(f.first_case),
                         pending_cases_.end());
    pending_cases_.resize(f.first_case);
    if (s.default_block.is_none()) {
        open_block();
        s.default_block = close_block();
    }
    push_statement(s, locate(f.where));
}

void recorder::assume(quern_detail::node condition, const quern_detail::location& where) {
    append(ir::assume{materialise(condition, where)}, where);
}

// what the kernel says of itself -------------------------------------------------------------------------------------

void recorder::set_workgroup_size(std::uint64_t x, std::uint64_t y, std::uint64_t z, const quern_detail::location& where) {
    constexpr std::uint64_t limit = 1u << 20;
    if (x == 0 || y == 0 || z == 0 || x > limit || y > limit || z > limit)
        fail(fmt::format("workgroup_size({}, {}, {}) is not a workgroup size", x, y, z), where);
    const std::array size{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z)};
    if (module_.workgroup_size[0] != 0 && module_.workgroup_size != size)
        fail("workgroup_size was said before with another size", where);
    module_.workgroup_size = size;
    locate(where);
}

void recorder::set_covers(std::uint64_t m, std::uint64_t n, const quern_detail::location& where) {
    constexpr std::uint64_t limit = 0xffff'ffffu;
    if (m == 0 || n == 0 || m > limit || n > limit) fail(fmt::format("covers({}, {}) is not a tile", m, n), where);
    module_.covers = {static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(n)};
    locate(where);
}

void recorder::set_math_mode(ir::math_mode mode, const quern_detail::location& where) {
    if (math_mode_set_ && module_.math != mode) fail("math_mode was said before with another mode", where);
    math_mode_set_ = true;
    module_.math = mode;
    locate(where);
}

std::int64_t recorder::tunable_value(const char* name, std::span<const std::int64_t> values,
                                     const quern_detail::location& where) {
    locate(where);
    if (values.empty()) fail(fmt::format("tune(\"{}\") has no values", name), where);
    for (const tunable& t : tunables_)
        if (t.name == name) {
            if (!std::ranges::equal(t.values, values))
                fail(fmt::format("tune(\"{}\") was asked before with other values", name), where);
            return t.chosen;
        }
    tunable t{name, {values.begin(), values.end()}, values.front()};
    for (const tunable& c : request_.choices)
        if (c.name == name && std::ranges::find(values, c.chosen) != values.end()) t.chosen = c.chosen;
    tunables_.push_back(t);
    return t.chosen;
}

}  // namespace quern::trace
