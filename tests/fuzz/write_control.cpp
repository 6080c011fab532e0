#include <algorithm>

#include "tests/fuzz/kernel_writer.hpp"

namespace quern::fuzz {

using ir::op;
using ir::scalar_kind;

namespace {

constexpr unsigned deepest = 6;
constexpr std::uint32_t most_iterations = 48;
constexpr shape u32{scalar_kind::u32, 1};
constexpr shape boolean{scalar_kind::boolean, 1};

constexpr std::uint64_t largest(scalar_kind k) {
    return ~std::uint64_t{0} >> (64 - ir::bit_width(k) + (ir::is_signed_integer(k) ? 1 : 0));
}
constexpr std::uint64_t wrapped(scalar_kind k, std::uint64_t n) { return n & (~std::uint64_t{0} >> (64 - ir::bit_width(k))); }

std::vector<scalar_kind> integers(std::span<const scalar_kind> kinds, std::uint32_t least_bytes = 1) {
    std::vector<scalar_kind> result;
    for (const scalar_kind k : kinds)
        if (ir::is_integer(k) && ir::size_bytes(k) >= least_bytes) result.push_back(k);
    return result;
}

}  // namespace

template <class Body>
ir::block_id kernel_writer::write_block(level control, ending e, Body body) {
    const level outer = control_;
    const std::size_t known_before = known_.size(), locals_before = locals_.size();
    control_ = std::max(control_, control);
    ++depth_;
    builder_.begin_block();
    body();
    store_unused(known_before);
    if (e == ending::may_leave && random_.chance(30)) write_leaving();
    --depth_;
    control_ = outer;
    known_.resize(known_before);
    locals_.resize(locals_before);
    return builder_.end_block();
}

ir::block_id kernel_writer::empty_block() {
    builder_.begin_block();
    return builder_.end_block();
}

void kernel_writer::write_actions(unsigned count) {
    for (unsigned i = 0; i < count && actions_left_ > 0; ++i) write_action();
}

void kernel_writer::write_action() {
    if (actions_left_ > 0) --actions_left_;
    // Less likely the deeper it is, or the kernels would be all depth.
    const bool nests = depth_ < deepest && actions_left_ > 0 && random_.chance(100 - 9 * depth_);
    const bool loops = nests && trip_limit() >= 2;
    const unsigned roll = static_cast<unsigned>(random_.below(100));
    if (roll < 34) write_expression();
    else if (roll < 50 && nests) write_if();
    else if (roll < 57 && loops) write_for();
    else if (roll < 61 && loops) write_while();
    else if (roll < 65 && nests) write_switch();
    else if (roll < 70) declare_local();
    else if (roll < 76) store_local();
    else if (roll < 79) { if (const auto v = load_local({}, random_limit())) remember(*v); }
    else if (roll < 82) { if (const auto v = load_owned()) remember(*v); }
    else if (roll < 84) write_accumulation();
    else if (roll < 86) write_assume();
    else if (roll < 88 && aliases_) write_aliased();
    else if (roll < 88) builder_.append(ir::fence{random_.chance(50) ? ir::scope::workgroup : ir::scope::device});
    else if (exchanges_ && control() == level::workgroup && open_exchanges_ < 2) {
        if (random_.chance(75)) write_exchange();
        else write_shared_counters();
    } else if (nests && random_.chance(30)) write_if();
    else write_expression();
}

void kernel_writer::write_if() {
    const ir::value_id condition = pick(boolean, random_limit());
    const level spread = level_of(condition);
    const auto body = [&] { write_actions(static_cast<unsigned>(random_.between(1, 4))); };
    const ir::block_id then_block = write_block(spread, ending::may_leave, body);
    const ir::block_id else_block =
        random_.chance(45) ? write_block(spread, ending::may_leave, body) : empty_block();
    builder_.append(ir::if_statement{condition, then_block, else_block});
}

/// Who may go round a loop together; operands of its bounds must be at most this spread.
level kernel_writer::loop_spread() { return std::max(control(), random_limit()); }

std::uint32_t kernel_writer::trip_limit() const { return std::min<std::uint32_t>(9, most_iterations / iterations_); }

void kernel_writer::write_for(std::optional<scalar_kind> wanted) {
    const std::vector<scalar_kind> kinds = integers(options_.kinds, 4);  // what counts rounds may index
    const scalar_kind k = wanted ? *wanted : random_.pick(kinds);
    const shape type{k, 1};
    const level spread = loop_spread();
    const std::uint32_t limit = trip_limit();
    const auto constant = [&](std::uint64_t n) { return number(wrapped(k, n), k); };
    const auto masked = [&](std::uint64_t mask) {
        return emit(op::bit_and, {pick_or_constant(type, spread), constant(mask)}, type);
    };
    const std::uint64_t step_size = random_.between(1, 3), trips = random_.between(1, limit);
    ir::value_id first = constant(random_.below(5)), step = constant(step_size), last;
    std::uint32_t most = limit;
    switch (random_.below(6)) {
        case 0: {  // constant bounds, also below zero
            const std::uint64_t start = ir::is_signed_integer(k) ? 0 - random_.below(6) : random_.below(6);
            first = constant(start);
            last = constant(start + trips * step_size - (step_size > 1 ? 1 : 0));
            most = static_cast<std::uint32_t>(trips);
            break;
        }
        case 1: {  // up to the end of the type, where induction + step would wrap
            first = constant(largest(k) - (trips - 1) * step_size - (step_size > 1 ? 1 : 0));
            last = constant(largest(k));
            break;
        }
        case 2:  // a dynamic last, which may lie below first
            last = masked(limit >= 8 ? 7 : limit >= 4 ? 3 : 1);
            break;
        case 3:  // dynamic first and step
            first = masked(1);
            step = emit(op::add, {masked(3), constant(1)}, type);
            last = constant(limit);
            break;
        case 4:  // steps as large as the type allows: two rounds
            first = constant(0), step = constant(largest(k) / 2 + 1), last = constant(largest(k));
            most = 2;
            break;
        default:  // last = first + dynamic
            first = masked(15);
            last = emit(op::add, {first, masked(limit >= 4 ? 3 : 1)}, type);
    }
    const level bounds = std::max({level_of(first), level_of(last), level_of(step)});
    const ir::value_id induction = builder_.make(op::induction, intern(m(), type), {});
    levels_.resize(m().values.size(), bounds);
    loops_.push_back(spread);
    const std::uint32_t outer = iterations_;
    iterations_ *= most;
    const ir::block_id body = write_block(spread, ending::may_leave, [&] {
        remember(induction);
        write_actions(static_cast<unsigned>(random_.between(1, 4)));
    });
    iterations_ = outer;
    loops_.pop_back();
    builder_.append(ir::for_statement{induction, first, last, step, body});
}

void kernel_writer::write_while() {
    const level spread = loop_spread();
    const std::uint32_t limit = trip_limit();
    const ir::value_id bound = random_.chance(50) ? number(random_.below(limit + 1))
                                                  : emit(op::bit_and, {pick_or_constant(u32, spread),
                                                                       number(limit >= 4 ? 3 : 1)}, u32);
    const ir::variable_id counter = builder_.add_variable({ir::storage::local, intern(m(), u32)});
    const ir::place_id counted = builder_.add_place(ir::root_kind::variable, counter.number, {});
    builder_.append(ir::declare{counter});
    store(counted, number(0));

    loops_.push_back(spread);
    const std::uint32_t outer = iterations_;
    iterations_ *= limit;
    // The condition is a value of the head, so the head stays open for what the condition is made of.
    const level outer_control = control_;
    const std::size_t known_before = known_.size(), locals_before = locals_.size();
    control_ = std::max(control_, spread);
    ++depth_;
    builder_.begin_block();
    if (random_.chance(40)) write_expression();
    const ir::value_id rounds = emit(op::load, {}, u32, counted.number, spread);
    store(counted, emit(op::add, {rounds, number(1)}, u32));
    ir::value_id condition = emit(op::lt, {rounds, bound}, boolean);
    if (random_.chance(60)) condition = emit(op::bit_and, {condition, pick(boolean, spread)}, boolean);
    store_unused(known_before);
    const ir::block_id head = builder_.end_block();
    known_.resize(known_before);
    locals_.resize(locals_before);
    --depth_;
    control_ = outer_control;

    const ir::block_id body = write_block(spread, ending::may_leave, [&] {
        write_actions(static_cast<unsigned>(random_.between(1, 4)));
    });
    iterations_ = outer;
    loops_.pop_back();
    builder_.append(ir::while_statement{head, condition, body});
}

void kernel_writer::write_switch() {
    const std::vector<scalar_kind> kinds = integers(options_.kinds);
    const shape type{random_.pick(kinds), 1};
    const bool masked = random_.chance(60);
    ir::value_id selector = pick(type, random_limit());
    if (masked) selector = emit(op::bit_and, {selector, number(3, type.kind)}, type);
    std::set<std::uint64_t> literals;
    for (std::uint64_t i = random_.between(1, 4); i-- > 0;)
        literals.insert(masked ? random_.below(5) : interesting_bits(random_, type.kind));
    const auto body = [&] { write_actions(static_cast<unsigned>(random_.between(1, 2))); };
    std::vector<ir::switch_case> cases;
    for (const std::uint64_t literal : literals)
        cases.push_back({literal, write_block(level_of(selector), ending::may_leave, body)});
    const ir::block_id otherwise =
        random_.chance(60) ? write_block(level_of(selector), ending::may_leave, body) : empty_block();
    builder_.append_switch(selector, cases, otherwise);
}

void kernel_writer::write_assume() {
    const std::vector<scalar_kind> kinds = integers(options_.kinds);
    const shape type{random_.pick(kinds), 1};
    const ir::value_id divisor = emit(op::bit_or, {pick(type, random_limit()), number(1, type.kind)}, type);
    builder_.append(ir::assume{emit(op::ne, {divisor, number(0, type.kind)}, boolean)});
    const ir::value_id dividend = pick(type, random_limit());
    remember(emit(random_.chance(50) ? op::div : op::rem, {dividend, divisor}, type));
}

bool kernel_writer::may_return() const {
    if (control() == level::workgroup) return assigned_.empty();
    return assigned_.empty() && open_exchanges_ == 0 &&
           std::ranges::all_of(loops_, [&](level spread) { return spread >= control(); });
}

void kernel_writer::write_leaving() {
    // Who leaves a loop must be at least as together as who goes round it.
    if (!loops_.empty() && control() <= loops_.back() && random_.chance(85)) {
        if (random_.chance(50)) builder_.append(ir::break_statement{});
        else builder_.append(ir::continue_statement{});
    } else if (may_return() && (loops_.empty() || random_.chance(40)) && random_.chance(35)) {
        builder_.append(ir::return_statement{});
        floor_ = std::max(floor_, control());
    }
}

}  // namespace quern::fuzz
