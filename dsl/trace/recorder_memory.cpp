// The recorder's places: parameters, variables, arrays, and their parts; loads, stores and atomics.
#include <fmt/format.h>

#include "dsl/ir/builder.hpp"
#include "dsl/trace/recorder.hpp"

namespace quern::trace {

quern_detail::place_handle recorder::add_place(ir::root_kind root, std::uint32_t number, ir::type_id type,
                                         std::span<const ir::step> steps, ir::block_id block) {
    place_record p;
    p.place = {root, number, type,
               {static_cast<std::uint32_t>(place_steps_.size()), static_cast<std::uint32_t>(steps.size())}};
    p.block = block;
    place_steps_.insert(place_steps_.end(), steps.begin(), steps.end());
    places_.push_back(p);
    return {static_cast<std::uint32_t>(places_.size() - 1), serial_};
}

quern_detail::place_handle recorder::parameter_place(std::uint32_t number) {
    return add_place(ir::root_kind::parameter, number, {}, {}, open_.front());
}

quern_detail::place_handle recorder::variable(const quern_detail::type_desc& type, const quern_detail::node* initial,
                                        ir::storage storage, const quern_detail::location& where) {
    const ir::type_id t = type_of(type);
    ir::value_id value;
    if (initial) value = materialise(*initial, where);
    const ir::variable_id v{static_cast<std::uint32_t>(module_.variables.size())};
    module_.variables.push_back({storage, t});
    const ir::location_id l = locate(where);
    name(v, where);
    if (storage == ir::storage::local) push_statement(ir::declare{v}, l);
    // shared memory belongs to the workgroup, whichever block names it
    const auto p = add_place(ir::root_kind::variable, v.number, t, {},
                             storage == ir::storage::shared ? open_.front() : open_.back());
    if (initial) push_statement(ir::store{use_place(p, where), value}, l);
    return p;
}

quern_detail::place_handle recorder::array(const quern_detail::type_desc& element, ir::storage storage,
                                     std::span<const std::size_t> extents, const quern_detail::location& where) {
    ir::type_id t = type_of(element);
    constexpr std::uint64_t limit = 1u << 30;
    std::uint64_t bytes = element.size_bytes;
    for (std::size_t i = extents.size(); i-- > 0;) {
        if (extents[i] == 0) fail("an array extent is 0", where);
        if (extents[i] > limit || (bytes *= extents[i]) > limit)
            fail(fmt::format("an array of extent {} is too large", extents[i]), where);
        t = ir::intern_array(module_, t, static_cast<std::uint32_t>(extents[i]));
    }
    const ir::variable_id v{static_cast<std::uint32_t>(module_.variables.size())};
    module_.variables.push_back({storage, t});
    const ir::location_id l = locate(where);
    name(v, where);
    if (storage == ir::storage::local) push_statement(ir::declare{v}, l);
    return add_place(ir::root_kind::variable, v.number, t, {},
                     storage == ir::storage::shared ? open_.front() : open_.back());
}

recorder::place_record& recorder::place_at(quern_detail::place_handle p, const quern_detail::location& where) {
    if (p.trace != serial_)
        fail("this place belongs to another trace, or to none: variables and arrays are declared inside a kernel", where);
    place_record& r = places_[p.id];
    if (!is_open(r.block)) fail("this variable or place is used outside the block that declared it", where);
    return r;
}

quern_detail::place_handle recorder::element(quern_detail::place_handle base, quern_detail::node index, const quern_detail::location& where) {
    const ir::value_id i = materialise(index, where);
    const place_record r = place_at(base, where);
    ir::type_id type;
    if (r.place.root == ir::root_kind::parameter && r.place.steps.count == 0) type = module_.parameters[r.place.number].type;
    else if (const ir::type& t = module_[r.place.type]; t.kind == ir::type_kind::array) type = t.element;
    else if (t.kind == ir::type_kind::vector) type = ir::intern_scalar(module_, t.scalar);
    else fail("too many indices: this is an element already", where);
    std::vector<ir::step> steps(place_steps_.begin() + r.place.steps.first,
                                place_steps_.begin() + r.place.steps.first + r.place.steps.count);
    steps.push_back({ir::step::kind::index, i, 0});
    return add_place(r.place.root, r.place.number, type, steps, open_.back());
}

quern_detail::place_handle recorder::component(quern_detail::place_handle base, std::uint32_t number) {
    const place_record r = place_at(base, last_location_);
    const ir::type& t = module_[r.place.type];
    const ir::type_id type = t.kind == ir::type_kind::structure ? module_.members[t.members.first + number].type
                                                                : ir::intern_scalar(module_, t.scalar);
    std::vector<ir::step> steps(place_steps_.begin() + r.place.steps.first,
                                place_steps_.begin() + r.place.steps.first + r.place.steps.count);
    steps.push_back({ir::step::kind::member, {}, number});
    return add_place(r.place.root, r.place.number, type, steps, open_.back());
}

/// How many indices an element of a local or shared array takes is known while tracing only.
void recorder::check_held(ir::type_id held, ir::type_id wanted, const quern_detail::location& where) const {
    if (held == wanted) return;
    while (module_[held].kind == ir::type_kind::array && held != wanted) held = module_[held].element;
    if (held == wanted) fail("this is a row of an array with more extents: index it further", where);
    fail("too many indices: this is a part of the array's element: name the element first: place e = t[i]; e[c] = …", where);
}

ir::place_id recorder::use_place(quern_detail::place_handle p, const quern_detail::location& where) {
    place_record& r = place_at(p, where);
    if (r.id.is_none()) {
        const auto first = static_cast<std::uint32_t>(module_.steps.size());
        for (std::uint32_t i = 0; i < r.place.steps.count; ++i)
            module_.steps.push_back(place_steps_[r.place.steps.first + i]);
        r.id = {static_cast<std::uint32_t>(module_.places.size())};
        module_.places.push_back({r.place.root, r.place.number, r.place.type, {first, r.place.steps.count}});
    }
    return r.id;
}

quern_detail::node recorder::load(ir::op code, quern_detail::place_handle place, const quern_detail::type_desc& type,
                            const quern_detail::location* where) {
    const quern_detail::location& line = where ? *where : last_location_;
    const ir::place_id id = use_place(place, line);
    check_held(module_[id].type, type_of(type), line);
    node_record r;
    r.kind = node_kind::pinned;
    r.op = code;
    r.type = module_[id].type;
    r.immediate = id.number;
    r.operands.first = static_cast<std::uint32_t>(node_operands_.size());
    const ir::location_id l = where ? locate(*where) : ir::location_id{};
    const ir::value_id v = emit(r);
    module_.value_locations[v.number] = l;
    if (!where) {
        unlocated_values_.push_back(v);
        if (!is_unreachable())
            unlocated_statements_.push_back({open_.back(), module_[open_.back()].statements.size()});
    }
    push_statement(ir::define{v}, l);
    nodes_.push_back(r);
    return handle(static_cast<std::uint32_t>(nodes_.size() - 1));
}

quern_detail::node recorder::atomic(ir::op code, const quern_detail::type_desc& type, quern_detail::place_handle place,
                              std::span<const quern_detail::node> operands, const quern_detail::location& where) {
    const ir::place_id id = use_place(place, where);
    check_held(module_[id].type, type_of(type), where);
    static constexpr quern_detail::type_desc nothing{};
    return pin(code, code == ir::op::atomic_store ? nothing : type, operands, id.number, where);
}

void recorder::store(quern_detail::place_handle place, quern_detail::node value, const quern_detail::location& where) {
    const ir::value_id v = materialise(value, where);
    const ir::place_id p = use_place(place, where);
    check_held(module_[p].type, module_[v].type, where);
    push_statement(ir::store{p, v}, locate(where));
}

}  // namespace quern::trace
