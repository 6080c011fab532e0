#include "tests/conformance/memory_kernel.hpp"

#include <array>

#include "dsl/ir/float_format.hpp"
#include "tests/conformance/inputs.hpp"

namespace quern::tests {
namespace {

using fuzz::shape;
using ir::op;
using ir::scalar_kind;

constexpr std::uint32_t workgroup = 20;             // the last subgroup is partial at every lane width
constexpr std::uint32_t elements = 50 * workgroup;

/// What all of them begin with.
struct draft {
    memory_kernel result;
    sketch& k;
    ir::builder& b;

    explicit draft(std::string name, std::uint64_t count = elements)
        : result{std::move(name), std::make_unique<sketch>("conformance"), {}}, k(*result.kernel), b(k.b) {
        result.start.extent = {count, 1, 1};
    }

    std::uint32_t input(shape s, unsigned operand = 0, range r = range::full) {
        result.start.buffers.push_back(make_scalars(s.kind, elements * s.width, operand, r));
        return k.buffer(k.shaped(s.kind, s.width), ir::access::read);
    }
    std::uint32_t output(shape s, std::size_t count = elements) {
        result.start.buffers.emplace_back(count * fuzz::size_bytes(s));
        return k.buffer(k.shaped(s.kind, s.width));
    }
    ir::place_id variable_element(std::uint32_t variable, ir::value_id index) {
        return k.place(ir::root_kind::variable, variable, {{ir::step::kind::index, index, 0}});
    }
    ir::value_id modulo(ir::value_id v, std::uint32_t n) { return b.define(op::rem, {v, k.u32(n)}); }
    ir::value_id scaled(ir::value_id v, std::uint32_t factor, std::uint32_t offset) {
        return b.define(op::add, {b.define(op::mul, {v, k.u32(factor)}), k.u32(offset)});
    }
    memory_kernel take() {
        result.start.kernel = &k.finish();
        return std::move(result);
    }
};

/// out[(3i + 1) % n] = in[(7i + 2) % n]
memory_kernel through_buffers(shape s) {
    draft d("buffers " + fuzz::to_string(s));
    const auto in = d.input(s), out = d.output(s);
    const auto i = d.k.leaf(op::global_id);
    d.k.store(out, d.modulo(d.scaled(i, 3, 1), elements), d.k.load(in, d.modulo(d.scaled(i, 7, 2), elements)));
    return d.take();
}

/// Every element of a local array is written by number, one is overwritten, one is read, both at computed indices.
memory_kernel through_local_array(shape s) {
    draft d("local array " + fuzz::to_string(s));
    constexpr std::uint32_t length = 5;
    const auto in = d.input(s), out = d.output(s);
    const auto i = d.k.leaf(op::global_id);
    const auto array = d.k.variable(ir::storage::local, ir::intern_array(d.k.m, d.k.shaped(s.kind, s.width), length));
    for (std::uint32_t n = 0; n < length; ++n)
        d.b.append(ir::store{d.variable_element(array, d.k.u32(n)), d.k.load(in, d.modulo(d.scaled(i, 1, n), elements))});
    d.b.append(ir::store{d.variable_element(array, d.modulo(i, length)), d.k.load(in, d.modulo(d.scaled(i, 11, 5), elements))});
    d.k.store(out, i, d.b.load(d.variable_element(array, d.modulo(d.scaled(i, 3, 1), length))));
    return d.take();
}

/// The workgroup's values in reverse, and those of the invocation three further.
memory_kernel through_shared_array(shape s) {
    draft d("shared array " + fuzz::to_string(s));
    d.k.cooperate(workgroup);
    const auto in = d.input(s), out = d.output(s), turned = d.output(s);
    const auto i = d.k.leaf(op::global_id), local = d.k.leaf(op::local_id);
    const auto array = d.k.variable(ir::storage::shared, ir::intern_array(d.k.m, d.k.shaped(s.kind, s.width), workgroup));
    d.b.append(ir::store{d.variable_element(array, local), d.k.load(in, i)});
    d.b.append(ir::barrier{});
    d.k.store(out, i, d.b.load(d.variable_element(array, d.b.define(op::sub, {d.k.u32(workgroup - 1), local}))));
    d.k.store(turned, i, d.b.load(d.variable_element(array, d.modulo(d.scaled(local, 1, 3), workgroup))));
    return d.take();
}

/// One invocation's value for the whole workgroup.
memory_kernel through_uniform_load(shape s) {
    draft d("uniform load " + fuzz::to_string(s));
    d.k.cooperate(workgroup);
    const auto in = d.input(s), out = d.output(s);
    const auto i = d.k.leaf(op::global_id), local = d.k.leaf(op::local_id);
    const auto cell = d.k.variable(ir::storage::shared, d.k.shaped(s.kind, s.width));
    const auto whole = d.k.place(ir::root_kind::variable, cell, {});
    d.k.if_(d.b.define(op::eq, {local, d.k.u32(13)}), [&] { d.b.append(ir::store{whole, d.k.load(in, i)}); });
    d.k.store(out, i, d.b.define(op::uniform_load, {}, whole.number));
    return d.take();
}

/// Two value parameters, so that the second one is aligned, and edge constants.
memory_kernel from_launch_and_code(shape s) {
    draft d("values and constants " + fuzz::to_string(s));
    const auto out = d.output(s, elements);
    const auto first = d.k.value(d.k.scalar(scalar_kind::u32));
    const auto value = d.k.value(d.k.shaped(s.kind, s.width));
    const auto i = d.k.leaf(op::global_id);
    d.k.store(out, i, value);
    std::uint32_t position = 1;
    for (const std::uint64_t bits : edge_values(s.kind)) {
        const auto scalar = d.b.constant(s.kind, bits);
        const std::vector<ir::value_id> parts(s.width, scalar);
        const auto constant = s.width == 1 ? scalar : d.b.define(op::construct, parts, 0, d.k.shaped(s.kind, s.width));
        d.k.if_(d.b.define(op::eq, {i, d.b.define(op::add, {first, d.k.u32(position++)})}), [&] { d.k.store(out, i, constant); });
    }
    const std::uint32_t alignment = ir::size_bytes(s.kind);
    const std::size_t offset = (4 + alignment - 1) / alignment * alignment;
    d.result.start.values.resize(offset);
    d.result.start.values[0] = std::byte{3};
    const bytes content = make_scalars(s.kind, s.width, 0);
    d.result.start.values.insert(d.result.start.values.end(), content.begin(), content.end());
    return d.take();
}

bool takes_operand(op code) { return code != op::atomic_load; }
bool order_matters(op code) {
    return code == op::atomic_exchange || code == op::atomic_compare_exchange || code == op::atomic_store;
}

/// `place` holds k's; the second operand of a compare-exchange is what is stored.
ir::value_id atomic(draft& d, op code, ir::place_id place, ir::value_id operand, ir::value_id second) {
    std::vector<ir::value_id> operands;
    if (takes_operand(code)) operands.push_back(operand);
    if (code == op::atomic_compare_exchange) operands.push_back(second);
    return d.b.define(code, operands, place.number);
}

memory_kernel own_elements(op code, scalar_kind k, range r) {
    draft d(std::string(ir::info(code).name) + " own " + fuzz::to_string({k, 1}));
    d.k.cooperate(workgroup);
    const auto in = d.input({k, 1}, 1, r), second = d.input({k, 1}, 0, r), old = d.output({k, 1}), old_shared = d.output({k, 1});
    const auto places = d.k.buffer(d.k.scalar(k));
    d.result.start.buffers.push_back(make_scalars(k, elements, 0, r));
    if (code == op::atomic_compare_exchange)  // every other one is what stands there
        for (std::size_t n = 0; n < elements; n += 2)
            set_scalar(d.result.start.buffers[0], k, n, scalar_at(d.result.start.buffers.back(), k, n));
    const auto i = d.k.leaf(op::global_id), local = d.k.leaf(op::local_id);
    const auto array = d.k.variable(ir::storage::shared, ir::intern_array(d.k.m, d.k.scalar(k), workgroup));
    const auto own = d.variable_element(array, local);
    d.b.append(ir::store{own, d.k.load(places, i)});
    d.b.append(ir::barrier{});
    const auto operand = d.k.load(in, i), other = d.k.load(second, i);
    const auto seen = atomic(d, code, own, operand, other);
    const auto seen_in_buffer = atomic(d, code, d.k.element(places, i), operand, other);
    if (ir::info(code).result != ir::result_rule::none) {
        d.k.store(old_shared, i, seen);
        d.k.store(old, i, seen_in_buffer);
    }
    d.b.append(ir::barrier{});
    const auto left = d.output({k, 1});
    d.k.store(left, i, d.b.load(own));
    return d.take();
}

memory_kernel contended_elements(op code, scalar_kind k, range r) {
    draft d(std::string(ir::info(code).name) + " contended " + fuzz::to_string({k, 1}));
    d.k.cooperate(workgroup);
    const auto in = d.input({k, 1}, 1, r), totals = d.output({k, 1}, 3), by_group = d.output({k, 1}, elements / workgroup);
    const auto i = d.k.leaf(op::global_id), local = d.k.leaf(op::local_id);
    const auto cell = d.k.variable(ir::storage::shared, d.k.scalar(k));
    const auto whole = d.k.place(ir::root_kind::variable, cell, {});
    const auto first = d.b.define(op::eq, {local, d.k.u32(0)});
    d.k.if_(first, [&] { d.b.append(ir::store{whole, d.k.load(in, i)}); });
    d.b.append(ir::barrier{});
    const auto operand = d.k.load(in, i);
    atomic(d, code, whole, operand, operand);
    atomic(d, code, d.k.element(totals, d.modulo(i, 3)), operand, operand);
    d.b.append(ir::barrier{});
    d.k.if_(first, [&] { d.k.store(by_group, d.k.leaf(op::workgroup_id), d.b.load(whole)); });
    return d.take();
}

}  // namespace

std::vector<memory_kernel> make_memory_kernels(shape s) {
    std::vector<memory_kernel> kernels;
    for (const auto make : {through_buffers, through_local_array, through_shared_array, through_uniform_load, from_launch_and_code})
        kernels.push_back(make(s));
    return kernels;
}

std::vector<memory_kernel> make_atomic_kernels(op code, scalar_kind k) {
    const range r = ir::is_float(k) ? range::small : range::full;
    std::vector<memory_kernel> kernels;
    kernels.push_back(own_elements(code, k, r));
    if (!order_matters(code)) kernels.push_back(contended_elements(code, k, r));
    return kernels;
}

std::vector<memory_kernel> make_position_kernels() {
    std::vector<memory_kernel> kernels;
    constexpr std::array<std::uint64_t, 3> extent{12, 6, 4};
    constexpr std::uint32_t count = 12 * 6 * 4;
    struct leaf {
        op code;
        bool by_dimension;
    };
    const auto make = [&](std::string name, std::array<std::uint32_t, 3> workgroup_size, std::initializer_list<leaf> leaves) {
        draft d(std::move(name));
        d.result.start.extent = extent;
        if (workgroup_size[0] != 0) d.k.cooperate(workgroup_size[0], workgroup_size[1], workgroup_size[2]);
        const auto x = d.k.leaf(op::global_id, 0), y = d.k.leaf(op::global_id, 1), z = d.k.leaf(op::global_id, 2);
        const auto row = d.b.define(op::add, {d.b.define(op::mul, {z, d.k.u32(6)}), y});
        const auto flat = d.b.define(op::add, {d.b.define(op::mul, {row, d.k.u32(12)}), x});
        const auto put = [&](op code, std::uint32_t dimension) {
            for (const scalar_kind k : {scalar_kind::u32, scalar_kind::u64}) {
                const auto out = d.output({k, 1}, count);
                d.k.store(out, flat, d.b.define(code, {}, dimension, d.k.scalar(k)));
            }
        };
        for (const leaf& l : leaves)
            for (std::uint32_t dimension = 0; dimension < (l.by_dimension ? 3u : 1u); ++dimension) put(l.code, dimension);
        const auto sized = d.output({scalar_kind::u32, 1}, count);
        d.k.store(sized, flat, d.b.define(op::buffer_size, {}, sized));
        kernels.push_back(d.take());
    };
    make("positions alone", {}, {{op::global_id, true}, {op::extent, true}});
    make("positions in workgroups", {6, 3, 2},
         {{op::global_id, true}, {op::extent, true}, {op::local_id, true}, {op::workgroup_id, true}, {op::workgroup_count, true}});
    make("positions in subgroups", {6, 3, 2},
         {{op::subgroup_size, false}, {op::subgroup_lane, false}, {op::subgroup_id, false}, {op::subgroup_count, false}});
    return kernels;
}

}  // namespace quern::tests
