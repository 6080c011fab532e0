#include <algorithm>
#include <bit>

#include "tests/fuzz/kernel_writer.hpp"

namespace quern::fuzz {

using ir::op;
using ir::scalar_kind;

namespace {

constexpr shape u32{scalar_kind::u32, 1};

/// Atomics whose combined effect does not depend on the order; add and sub go together.
constexpr std::array<std::array<op, 2>, 6> order_free{{
    {op::atomic_add, op::atomic_sub}, {op::atomic_min, op::atomic_min}, {op::atomic_max, op::atomic_max},
    {op::atomic_and, op::atomic_and}, {op::atomic_or, op::atomic_or},   {op::atomic_xor, op::atomic_xor},
}};

}  // namespace

ir::place_id kernel_writer::place(ir::root_kind root, std::uint32_t number, ir::value_id index) {
    return builder_.add_place(root, number, std::array{ir::step{ir::step::kind::index, index, 0}});
}

/// The same index in any of the integer types that an index may have.
ir::value_id kernel_writer::as_index(ir::value_id v) {
    if (random_.chance(75)) return v;
    constexpr std::array kinds{scalar_kind::i32, scalar_kind::i64, scalar_kind::u64};
    return emit(op::cast, {v}, {random_.pick(kinds), 1});
}

/// A u32 in [0, count).
ir::value_id kernel_writer::below(std::uint32_t count, level limit) {
    if (count == 1 || random_.chance(20)) return number(random_.below(count));
    const ir::value_id any = pick_or_constant_u32(limit);
    return std::has_single_bit(count) && random_.chance(75) ? emit(op::bit_and, {any, number(count - 1)}, u32)
                                                            : emit(op::rem, {any, number(count)}, u32);
}

ir::value_id kernel_writer::pick_or_constant_u32(level limit) {
    if (const auto v = pick_known(u32, limit)) return *v;
    return number(interesting_bits(random_, scalar_kind::u32));
}

/// The place of another invocation of the workgroup, or of this one.
ir::value_id kernel_writer::permuted(std::uint32_t count) {
    switch (random_.below(5)) {
        case 0: return emit(op::sub, {number(count - 1), local_linear_}, u32);
        case 1:
            if (std::has_single_bit(count)) return emit(op::bit_xor, {local_linear_, number(random_.below(count))}, u32);
            return below(count, level::varying);
        case 2: return local_linear_;
        case 3: return below(count, level::varying);
        default: {
            const ir::value_id shifted = emit(op::add, {local_linear_, number(random_.between(1, 9))}, u32);
            return emit(op::rem, {shifted, number(count)}, u32);
        }
    }
}

ir::value_id kernel_writer::value_parameter(shape s) {
    const auto [at, is_new] = value_parameters_.try_emplace(s, 0);
    if (is_new)
        at->second = builder_.add_parameter({ir::parameter_kind::value, ir::access::read, false, intern(m(), s)}).number;
    return emit(op::parameter, {}, s, at->second);
}

kernel_writer::input& kernel_writer::input_for(shape s) {
    const auto [at, is_new] = inputs_.try_emplace(s);
    if (is_new) {
        // Large enough for every linear index, or small: then indices are masked.
        constexpr std::array<std::uint32_t, 6> small{1, 5, 16, 32, 37, 64};
        at->second.count = random_.chance(70) ? reached_by_linear_indices() : random_.pick(small);
        at->second.parameter =
            builder_.add_parameter({ir::parameter_kind::buffer, ir::access::read, false, intern(m(), s)}).number;
    }
    return at->second;
}

ir::value_id kernel_writer::load_input(shape s, level limit) {
    const input from = input_for(s);
    const auto load_at = [&](ir::value_id index) {
        const ir::value_id i = as_index(index);
        return emit(op::load, {}, s, place(ir::root_kind::parameter, from.parameter, i).number,
                    aliases_ ? level::varying : level_of(i));
    };
    if (limit != level::varying || from.count < reached_by_linear_indices() || random_.chance(25)) {
        if (random_.chance(80)) return load_at(below(from.count, limit));
        const ir::value_id size = emit(op::buffer_size, {}, u32, from.parameter);
        const ir::value_id any = pick_or_constant_u32(limit);
        return load_at(emit(op::rem, {any, size}, u32));
    }
    switch (random_.below(6)) {
        case 0: return load_at(global_[0]);
        case 1: return load_at(emit(op::add, {global_[0], number(random_.between(1, 15))}, u32));
        case 2: return load_at(linear_);
        case 3: return load_at(emit(op::add, {linear_, number(random_.between(1, 15))}, u32));
        case 4: {
            const std::uint64_t factor = random_.between(2, 3);
            const ir::value_id scaled = emit(op::mul, {linear_, number(factor)}, u32);
            return load_at(emit(op::add, {scaled, number(random_.below(factor))}, u32));
        }
        default: return load_at(emit(op::sub, {number(invocations_ - 1 + random_.below(4)), linear_}, u32));
    }
}

/// The buffer that values of this cell go to; `readable` if the kernel reads it too.
kernel_writer::output& kernel_writer::output_for(const cell& key, bool readable) {
    const auto [at, is_new] = outputs_.try_emplace(key);
    if (is_new) {
        const shape s = key.operand.kind != scalar_kind::none ? key.operand : key.result;
        const ir::access access = readable ? ir::access::read_write : ir::access::write;
        at->second = {builder_.add_parameter({ir::parameter_kind::buffer, access, false, intern(m(), s)}).number,
                      random_.chance(30), readable, 0};
    }
    return at->second;
}

/// A slot of this invocation's own.
ir::place_id kernel_writer::owned_place(output& o, std::uint32_t slot) {
    ir::value_id index = linear_;
    if (o.interleaved) {
        slot %= interleaved_slots;
        index = emit(op::mul, {index, number(interleaved_slots)}, u32);
        if (slot > 0) index = emit(op::add, {index, number(slot)}, u32);
    } else if (slot > 0) index = emit(op::add, {index, number(slot * invocations_)}, u32);
    return place(ir::root_kind::parameter, o.parameter, as_index(index));
}

void kernel_writer::store_output(const cell& key, ir::value_id v) {
    output& o = output_for(key, ir::info(key.op).effect == ir::effect::atomic || (key.op == op::load && random_.chance(50)));
    const std::uint32_t slot =
        o.slots > 0 && random_.chance(15) ? static_cast<std::uint32_t>(random_.below(o.slots)) : o.slots++;
    const ir::place_id p = owned_place(o, slot);
    store(p, v);
    for (known& k : known_) k.used |= k.id == v;
}

void kernel_writer::store_plain(ir::value_id v) {
    const shape s = shape_of(m(), v);
    if (s.kind != scalar_kind::none) store_output({op::load, {}, s}, v);
}

std::optional<ir::value_id> kernel_writer::load_owned() {
    std::vector<output*> readable;
    for (auto& [key, o] : outputs_)
        if (o.readable && o.slots > 0) readable.push_back(&o);
    if (readable.empty()) return std::nullopt;
    output& o = *random_.pick(readable);
    const ir::place_id p = owned_place(o, static_cast<std::uint32_t>(random_.below(o.slots)));
    const shape s = shape_of(m()[m()[p].type]);
    return emit(op::load, {}, s, p.number, level::varying);
}

/// What a block computed and nothing used becomes visible, so that it is not dead.
void kernel_writer::store_unused(std::size_t first_known) {
    for (std::size_t i = first_known; i < known_.size(); ++i)
        if (!known_[i].used && random_.chance(85)) store_plain(known_[i].id);
}

void kernel_writer::declare_local(std::optional<shape> wanted) {
    const shape s = wanted ? *wanted : known_.empty() ? random_shape() : random_.pick(known_).type;
    const std::uint32_t count = random_.chance(40) ? static_cast<std::uint32_t>(random_.between(1, 6)) : 0;
    const level spread = std::max(control(), random_limit());
    const ir::type_id element = intern(m(), s);
    const ir::variable_id v =
        builder_.add_variable({ir::storage::local, count == 0 ? element : ir::intern_array(m(), element, count)});
    std::vector<ir::value_id> starts;
    for (std::uint32_t i = 0; i < std::max(count, 1u); ++i)
        starts.push_back(i < 2 ? pick(s, spread) : random_.pick(starts));
    std::vector<ir::place_id> places;
    for (std::uint32_t i = 0; i < count; ++i) places.push_back(place(ir::root_kind::variable, v.number, number(i)));
    if (count == 0) places.push_back(builder_.add_place(ir::root_kind::variable, v.number, {}));
    builder_.append(ir::declare{v});
    for (std::size_t i = 0; i < places.size(); ++i) {
        store(places[i], starts[i]);
        for (known& k : known_) k.used |= k.id == starts[i];
    }
    locals_.push_back({v, s, count, spread});
}

/// The variable or one element of it; `limit` bounds how different the index may be.
ir::place_id kernel_writer::local_place(const local& l, level limit) {
    std::vector<ir::step> steps;
    if (l.count > 0) {
        const ir::value_id index = below(l.count, limit);
        steps.push_back({ir::step::kind::index, as_index(index), 0});
    }
    return builder_.add_place(ir::root_kind::variable, l.variable.number, steps);
}

void kernel_writer::store_local() {
    std::vector<local> possible;
    for (const local& l : locals_)
        if (l.spread >= control()) possible.push_back(l);
    if (possible.empty()) return declare_local();
    const local l = random_.pick(possible);
    const bool component = l.element.width > 1 && random_.chance(35);
    const ir::value_id v = pick(component ? l.element.component() : l.element, l.spread);
    std::vector<ir::step> steps;
    if (l.count > 0) {
        const ir::value_id index = below(l.count, l.spread);
        steps.push_back({ir::step::kind::index, as_index(index), 0});
    }
    if (component) {
        if (random_.chance(50))
            steps.push_back({ir::step::kind::member, {}, static_cast<std::uint32_t>(random_.below(l.element.width))});
        else steps.push_back({ir::step::kind::index, below(l.element.width, l.spread), 0});
    }
    store(builder_.add_place(ir::root_kind::variable, l.variable.number, steps), v);
    for (known& k : known_) k.used |= k.id == v;
}

std::optional<ir::value_id> kernel_writer::load_local(std::optional<shape> s, level limit) {
    std::vector<local> possible;
    for (const local& l : locals_)
        if ((!s || l.element == *s) && l.spread <= limit) possible.push_back(l);
    if (possible.empty()) return std::nullopt;
    const local l = random_.pick(possible);
    const ir::place_id p = local_place(l, limit);
    level spread = l.spread;
    for (const ir::step& step : m().steps_of(p)) spread = std::max(spread, level_of(step.index));
    return emit(op::load, {}, l.element, p.number, spread);
}

/// Two parameters that are one memory, of which every invocation owns an element.
void kernel_writer::add_alias() {
    alias_shape_ = random_shape();
    const auto add = [&](ir::access a, bool aliased) {
        return builder_.add_parameter({ir::parameter_kind::buffer, a, aliased, intern(m(), alias_shape_)}).number;
    };
    alias_[0] = add(ir::access::read, false);
    alias_[1] = add(ir::access::read_write, true);
}

/// A store through one name is seen by the next load through the other.
void kernel_writer::write_aliased() {
    const auto load = [&](std::uint32_t from) {
        const ir::place_id p = place(ir::root_kind::parameter, from, linear_);
        return remember(emit(op::load, {}, alias_shape_, p.number, level::varying));
    };
    if (random_.chance(60)) load(alias_[0]);
    const ir::value_id v = pick(alias_shape_, level::varying);
    store(place(ir::root_kind::parameter, alias_[1], linear_), v);
    for (known& k : known_) k.used |= k.id == v;
    load(random_.pick(alias_));
}

/// An atomic on a place of this invocation's own, so that what it returns may be used.
ir::value_id kernel_writer::write_owned_atomic(const cell& c) {
    std::vector<ir::value_id> operands;
    for (int i = 0; i < ir::info(c.op).arity; ++i) operands.push_back(pick(c.operand, level::varying));
    output& o = output_for({op::atomic_load, c.operand, {}}, true);
    const bool again = o.slots > 0 && random_.chance(50);
    const ir::place_id p = owned_place(o, again ? static_cast<std::uint32_t>(random_.below(o.slots)) : o.slots++);
    const bool returns = ir::info(c.op).result != ir::result_rule::none;
    const ir::value_id v = emit(c.op, operands, returns ? c.operand : shape{}, p.number, level::varying);
    return returns ? v : ir::value_id{};
}

/// Many invocations on few places of a buffer; what the atomics return is not used.
void kernel_writer::write_accumulation() {
    std::vector<scalar_kind> kinds;
    for (const scalar_kind k : options_.kinds)
        if (ir::is_integer(k) && ir::size_bytes(k) >= 4) kinds.push_back(k);
    const shape s{random_.pick(kinds), 1};
    const auto& pair = random_.pick(order_free);
    output& o = output_for({pair[0], s, {}}, true);
    o.slots = 0;  // never loaded
    const ir::value_id v = pick(s, random_limit());
    const ir::value_id index = below(interleaved_slots, random_limit());
    const ir::place_id p = place(ir::root_kind::parameter, o.parameter, as_index(index));
    emit(random_.pick(pair), {v}, s, p.number, level::varying);
}

ir::value_id kernel_writer::load_exchanged(const exchanged& e, level limit) {
    ir::value_id index = limit == level::varying ? permuted(e.count) : below(e.count, limit);
    if (e.root == ir::root_kind::parameter) index = emit(op::add, {group_base_, index}, u32);
    return emit(op::load, {}, e.element, place(e.root, e.number, index).number, level::varying);
}

/// barrier; everyone writes its own place; barrier; anyone reads any place, until the next exchange begins.
void kernel_writer::write_exchange(std::optional<shape> wanted) {
    const shape s = wanted ? *wanted : random_.chance(60) && !known_.empty() ? random_.pick(known_).type : random_shape();
    const bool through_buffer = !wanted && random_.chance(15);
    const auto free = std::ranges::find_if(exchanged_, [&](const exchanged& e) {
        return e.now == exchanged::phase::free && e.element == s && (e.root == ir::root_kind::parameter) == through_buffer;
    });
    std::size_t at = static_cast<std::size_t>(free - exchanged_.begin());
    if (free == exchanged_.end()) {
        const ir::type_id element = intern(m(), s);
        const std::uint32_t place_number =
            through_buffer
                ? builder_.add_parameter({ir::parameter_kind::buffer, ir::access::read_write, false, element}).number
                : builder_.add_variable({ir::storage::shared, ir::intern_array(m(), element, group_invocations_)}).number;
        at = exchanged_.size();
        exchanged_.push_back({through_buffer ? ir::root_kind::parameter : ir::root_kind::variable, place_number, s,
                              group_invocations_, exchanged::phase::free});
    }
    exchanged_[at].now = exchanged::phase::written;
    const exchanged e = exchanged_[at];
    const auto own = [&] {
        ir::value_id index = local_linear_;
        if (through_buffer) index = emit(op::add, {group_base_, index}, u32);
        return place(e.root, e.number, index);
    };
    const auto store_own = [&] {
        const ir::value_id v = pick(s, level::varying);
        store(own(), v);
        for (known& k : known_) k.used |= k.id == v;
    };
    builder_.append(ir::barrier{});
    store_own();
    ++open_exchanges_;  // a divergent return would miss the barrier
    if (random_.chance(40)) write_action();
    if (random_.chance(30)) {
        const ir::value_id condition = pick({scalar_kind::boolean, 1}, level::varying);
        builder_.begin_block();
        const std::size_t known_before = known_.size();
        const level outer = control_;
        control_ = std::max(control_, level_of(condition));
        store_own();
        control_ = outer;
        known_.resize(known_before);
        const ir::block_id then_block = builder_.end_block();
        builder_.append(ir::if_statement{condition, then_block, empty_block()});
    }
    builder_.append(ir::barrier{});
    exchanged_[at].now = exchanged::phase::readable;
    for (std::uint64_t reads = random_.between(1, 2); reads-- > 0;) remember(load_exchanged(e, level::varying));
    if (!through_buffer && (wanted || random_.chance(35))) {
        const ir::value_id index = below(e.count, level::workgroup);
        store_plain(remember(emit(op::uniform_load, {}, s, place(e.root, e.number, index).number)));
    }
    for (std::uint64_t actions = random_.below(3); actions-- > 0;) write_action();
    exchanged_[at].now = exchanged::phase::free;
    --open_exchanges_;
}

/// A few shared counters: cleared, changed by all in any order, read by all.
void kernel_writer::write_shared_counters() {
    std::vector<scalar_kind> kinds;
    for (const scalar_kind k : options_.kinds)
        if (ir::is_integer(k) && ir::size_bytes(k) >= 4) kinds.push_back(k);
    const shape s{random_.pick(kinds), 1};
    const std::uint32_t count = std::min<std::uint32_t>(group_invocations_, static_cast<std::uint32_t>(random_.between(1, 4)));
    const ir::variable_id counters =
        builder_.add_variable({ir::storage::shared, ir::intern_array(m(), intern(m(), s), count)});
    const auto at = [&](ir::value_id index) { return place(ir::root_kind::variable, counters.number, index); };

    builder_.append(ir::barrier{});
    const ir::value_id first = emit(op::lt, {local_linear_, number(count)}, {scalar_kind::boolean, 1});
    const ir::value_id start = interesting_constant(s);
    builder_.begin_block();
    store(at(local_linear_), start);
    const ir::block_id clear = builder_.end_block();
    builder_.append(ir::if_statement{first, clear, empty_block()});
    builder_.append(ir::barrier{});

    const auto& pair = random_.pick(order_free);
    for (std::uint64_t i = random_.between(1, 2); i-- > 0;) {
        const ir::value_id condition = pick({scalar_kind::boolean, 1}, level::varying);
        const ir::value_id v = pick(s, level::varying);
        const ir::value_id index = below(count, level::varying);
        const ir::place_id p = at(index);
        const op code = random_.pick(pair);
        if (random_.chance(50)) {
            emit(code, {v}, s, p.number, level::varying);
            continue;
        }
        builder_.begin_block();
        emit(code, {v}, s, p.number, level::varying);
        const ir::block_id some = builder_.end_block();
        builder_.append(ir::if_statement{condition, some, empty_block()});
        for (known& k : known_) k.used |= k.id == condition;
    }
    builder_.append(ir::barrier{});
    const ir::place_id read = at(below(count, level::workgroup));
    switch (random_.below(3)) {
        case 0: remember(emit(op::load, {}, s, read.number, level::varying)); break;
        case 1: remember(emit(op::atomic_load, {}, s, read.number, level::varying)); break;
        default: remember(emit(op::uniform_load, {}, s, read.number));
    }
}

}  // namespace quern::fuzz
