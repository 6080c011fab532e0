// Small kernels written with the IR builder, for every test that needs modules: one feature each, all of them valid.
// `maker` is the shorthand they are written in; use it for a test's own kernels too.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "dsl/ir/builder.hpp"

namespace quern::tests {

/// Builds one kernel. The body block is open from the start; `finish` closes it. Line n of "kernel.cpp" is `at(n)`.
class maker {
public:
    explicit maker(std::string name, std::uint32_t workgroup_size = 0) : b(m) {
        m.name = std::move(name);
        if (workgroup_size != 0) {
            m.workgroup_size = {workgroup_size, 1, 1};
            m.cooperative = true;
        }
        m.files = {"kernel.cpp"};
        b.begin_block();
    }

    ir::module finish() {
        m.body = b.end_block();
        return m;
    }

    maker& at(std::uint32_t line) {
        m.locations.push_back({ir::file_id{0}, line, 1});
        b.set_location({static_cast<std::uint32_t>(m.locations.size() - 1)});
        return *this;
    }

    ir::type_id scalar(ir::scalar_kind k) { return ir::intern_scalar(m, k); }
    ir::value_id u32(std::uint32_t v) { return b.constant(ir::scalar_kind::u32, v); }
    ir::value_id i32(std::int32_t v) { return b.constant(ir::scalar_kind::i32, static_cast<std::uint32_t>(v)); }
    ir::value_id f32(float v) { return b.constant(ir::scalar_kind::f32, std::bit_cast<std::uint32_t>(v)); }
    ir::value_id boolean(bool v) { return b.constant(ir::scalar_kind::boolean, v ? 1 : 0); }

    std::uint32_t buffer(std::string name, ir::access access, ir::type_id type, bool aliased = false) {
        m.parameter_names.push_back(std::move(name));
        return b.add_parameter({ir::parameter_kind::buffer, access, aliased, type}).number;
    }
    ir::value_id value(std::string name, ir::type_id type) {
        m.parameter_names.push_back(std::move(name));
        const auto number = b.add_parameter({ir::parameter_kind::value, ir::access::read, false, type}).number;
        return op(ir::op::parameter, {}, number);
    }
    ir::variable_id shared(std::string name, ir::type_id type) {
        return variable(std::move(name), ir::storage::shared, type);
    }
    /// A local variable that starts with this value.
    ir::variable_id local(std::string name, ir::value_id start) {
        const ir::variable_id v = variable(std::move(name), ir::storage::local, m[start].type);
        b.append(ir::declare{v});
        set(v, start);
        return v;
    }

    ir::value_id op(ir::op code, std::initializer_list<ir::value_id> operands, std::uint64_t immediate = 0,
                    ir::type_id type = {}) {
        return b.define(code, operands, immediate, type);
    }
    ir::value_id named(ir::value_id v, std::string name) {
        m.value_names.resize(m.values.size());
        m.value_names[v.number] = std::move(name);
        return v;
    }

    static ir::step index(ir::value_id v) { return {.index = v}; }
    static ir::step member(std::uint32_t n) { return {.kind = ir::step::kind::member, .member = n}; }
    ir::place_id in_buffer(std::uint32_t number, std::initializer_list<ir::step> steps) {
        return b.add_place(ir::root_kind::parameter, number, std::vector(steps));
    }
    ir::place_id in_variable(ir::variable_id v, std::initializer_list<ir::step> steps = {}) {
        return b.add_place(ir::root_kind::variable, v.number, std::vector(steps));
    }
    ir::value_id load(std::uint32_t buffer, ir::value_id i) { return b.load(in_buffer(buffer, {index(i)})); }
    void store(std::uint32_t buffer, ir::value_id i, ir::value_id v) {
        b.append(ir::store{in_buffer(buffer, {index(i)}), v});
    }
    ir::value_id get(ir::variable_id v) { return b.load(in_variable(v)); }
    void set(ir::variable_id v, ir::value_id to) { b.append(ir::store{in_variable(v), to}); }

    template <class Body>
    ir::block_id block(Body body) {
        b.begin_block();
        body();
        return b.end_block();
    }
    template <class Then>
    void if_(ir::value_id condition, Then then) {
        if_(condition, then, [] {});
    }
    template <class Then, class Else>
    void if_(ir::value_id condition, Then then, Else otherwise) {
        const ir::block_id then_block = block(then);
        b.append(ir::if_statement{condition, then_block, block(otherwise)});
    }
    /// body(induction)
    template <class Body>
    void for_(ir::value_id first, ir::value_id last, ir::value_id step, Body body) {
        const ir::value_id i = b.make(ir::op::induction, m[first].type, {});
        b.append(ir::for_statement{i, first, last, step, block([&] { body(i); })});
    }
    /// condition() yields the value
    template <class Condition, class Body>
    void while_(Condition condition, Body body) {
        ir::value_id goes_on;
        const ir::block_id head = block([&] { goes_on = condition(); });
        b.append(ir::while_statement{head, goes_on, block(body)});
    }
    template <class Statement>
    void put(Statement s) {
        b.append(s);
    }

    ir::module m;
    ir::builder b;

private:
    ir::variable_id variable(std::string name, ir::storage storage, ir::type_id type) {
        m.variable_names.push_back(std::move(name));
        return b.add_variable({storage, type});
    }
};

/// y[i] = a * x[i] + y[i]
inline ir::module saxpy() {
    maker k("saxpy");
    const auto f32 = k.scalar(ir::scalar_kind::f32);
    const auto y = k.buffer("y", ir::access::read_write, f32);
    const auto x = k.buffer("x", ir::access::read, f32);
    const auto a = k.at(10).value("a", f32);
    const auto i = k.at(11).named(k.op(ir::op::global_id, {}, 0), "i");
    const auto product = k.at(12).op(ir::op::mul, {a, k.load(x, i)});
    k.store(y, i, k.op(ir::op::add, {product, k.load(y, i)}));
    return k.finish();
}

/// Collatz steps of x[i], at most 100: a divergent loop that breaks and continues.
inline ir::module collatz() {
    maker k("collatz");
    const auto u32 = k.scalar(ir::scalar_kind::u32);
    const auto y = k.buffer("y", ir::access::write, u32);
    const auto x = k.buffer("x", ir::access::read, u32);
    const auto i = k.named(k.op(ir::op::global_id, {}, 0), "i");
    const auto n = k.local("n", k.load(x, i));
    const auto steps = k.local("steps", k.u32(0));
    k.for_(k.u32(0), k.u32(100), k.u32(1), [&](ir::value_id) {
        k.if_(k.op(ir::op::le, {k.get(n), k.u32(1)}), [&] { k.put(ir::break_statement{}); });
        k.set(steps, k.op(ir::op::add, {k.get(steps), k.u32(1)}));
        const auto odd = k.op(ir::op::bit_and, {k.get(n), k.u32(1)});
        k.if_(k.op(ir::op::eq, {odd, k.u32(0)}), [&] {
            k.set(n, k.op(ir::op::div, {k.get(n), k.u32(2)}));
            k.put(ir::continue_statement{});
        });
        k.set(n, k.op(ir::op::add, {k.op(ir::op::mul, {k.get(n), k.u32(3)}), k.u32(1)}));
    });
    k.store(y, i, k.get(steps));
    return k.finish();
}

/// Sum of 64 floats a workgroup in shared memory: barriers in a uniform while loop.
inline ir::module reduce() {
    maker k("reduce", 64);
    k.m.launch = ir::launch_kind::groups;
    const auto f32 = k.scalar(ir::scalar_kind::f32);
    const auto sums = k.buffer("sums", ir::access::write, f32);
    const auto x = k.buffer("x", ir::access::read, f32);
    const auto tile = k.shared("tile", ir::intern_array(k.m, f32, 64));
    const auto i = k.named(k.op(ir::op::local_id, {}, 0), "i");
    const auto at = [&](ir::value_id n) { return k.in_variable(tile, {maker::index(n)}); };
    k.put(ir::store{at(i), k.load(x, k.op(ir::op::global_id, {}, 0))});
    const auto half = k.local("half", k.u32(32));
    k.while_([&] { return k.op(ir::op::gt, {k.get(half), k.u32(0)}); },
             [&] {
                 k.put(ir::barrier{});
                 k.if_(k.op(ir::op::lt, {i, k.get(half)}), [&] {
                     const auto other = k.b.load(at(k.op(ir::op::add, {i, k.get(half)})));
                     k.put(ir::store{at(i), k.op(ir::op::add, {k.b.load(at(i)), other})});
                 });
                 k.set(half, k.op(ir::op::shr, {k.get(half), k.u32(1)}));
             });
    k.if_(k.op(ir::op::eq, {i, k.u32(0)}),
          [&] { k.store(sums, k.op(ir::op::workgroup_id, {}, 0), k.b.load(at(k.u32(0)))); });
    return k.finish();
}

/// y[i] by the kind of x[i]: a switch with negative literals and a return in a case.
inline ir::module classify() {
    maker k("classify");
    const auto i32 = k.scalar(ir::scalar_kind::i32);
    const auto y = k.buffer("y", ir::access::write, i32);
    const auto x = k.buffer("x", ir::access::read, i32);
    const auto i = k.named(k.op(ir::op::global_id, {}, 0), "i");
    const auto kind = k.named(k.load(x, i), "kind");
    const std::array cases{
        ir::switch_case{3, k.block([&] { k.store(y, i, k.i32(30)); })},
        ir::switch_case{0xffff'ffff, k.block([&] { k.put(ir::return_statement{}); })},
    };
    const auto otherwise = k.block([&] { k.store(y, i, k.op(ir::op::neg, {kind})); });
    k.b.append_switch(kind, cases, otherwise);
    k.store(y, k.op(ir::op::add, {i, k.u32(1)}), kind);
    return k.finish();
}

/// bins[x[i] % 16] += 1, and the largest value: atomics with and without a use of their result.
inline ir::module histogram() {
    maker k("histogram");
    const auto u32 = k.scalar(ir::scalar_kind::u32);
    const auto bins = k.buffer("bins", ir::access::read_write, u32);
    const auto largest = k.buffer("largest", ir::access::read_write, u32);
    const auto x = k.buffer("x", ir::access::read, u32);
    const auto v = k.named(k.load(x, k.op(ir::op::global_id, {}, 0)), "v");
    const auto bin = k.in_buffer(bins, {maker::index(k.op(ir::op::rem, {v, k.u32(16)}))});
    k.op(ir::op::atomic_add, {k.u32(1)}, bin.number);
    const auto before = k.op(ir::op::atomic_max, {v}, k.in_buffer(largest, {maker::index(k.u32(0))}).number);
    k.if_(k.op(ir::op::lt, {before, v}),
          [&] { k.op(ir::op::atomic_store, {v}, k.in_buffer(largest, {maker::index(k.u32(1))}).number); });
    return k.finish();
}

/// Subgroup sum, scan, ballot and broadcast.
inline ir::module subgroups() {
    maker k("subgroups", 64);
    const auto u32 = k.scalar(ir::scalar_kind::u32);
    const auto y = k.buffer("y", ir::access::read_write, u32);
    const auto i = k.op(ir::op::global_id, {}, 0);
    const auto v = k.load(y, i);
    const auto sum = k.named(k.op(ir::op::subgroup_add, {v}), "sum");
    const auto before = k.op(ir::op::subgroup_exclusive_add, {v});
    const auto first = k.op(ir::op::subgroup_broadcast, {v, k.u32(0)});
    const auto votes = k.op(ir::op::extract, {k.op(ir::op::subgroup_ballot, {k.op(ir::op::gt, {v, first})})});
    k.if_(k.op(ir::op::gt, {sum, k.u32(100)}), [&] {
        const auto any = k.op(ir::op::subgroup_any, {k.op(ir::op::eq, {v, k.u32(7)})});
        k.store(y, i, k.op(ir::op::select, {any, before, votes}));
    });
    return k.finish();
}

/// One step of moving particles: structs and vectors in buffers, swizzles, components, a local array.
inline ir::module particles() {
    maker k("particles");
    k.m.math = ir::math_mode::precise;
    const auto f32 = k.scalar(ir::scalar_kind::f32);
    const auto f3 = ir::intern_vector(k.m, ir::scalar_kind::f32, 3);
    const std::array members{ir::member{0, f3, "position"}, ir::member{12, f32, "mass"}};
    const auto particle = ir::intern_struct(k.m, members, 16, 4);
    const auto p = k.buffer("p", ir::access::read_write, particle);
    const auto v = k.buffer("v", ir::access::read, f3);
    const auto dt = k.value("dt", f32);
    const auto i = k.named(k.op(ir::op::global_id, {}, 0), "i");
    const auto position = k.in_buffer(p, {maker::index(i), maker::member(0)});
    const auto step = k.op(ir::op::mul, {k.load(v, i), k.op(ir::op::construct, {dt, dt, dt}, 0, f3)});
    k.put(ir::store{position, k.op(ir::op::add, {k.b.load(position), step})});
    const auto turned = k.op(ir::op::swizzle, {step}, 0xf021);
    const auto last = k.op(ir::op::extract, {turned}, 2);
    const auto pair = k.b.add_variable({ir::storage::local, ir::intern_array(k.m, f32, 2)});
    k.put(ir::declare{pair});
    k.put(ir::store{k.in_variable(pair, {maker::index(k.u32(0))}), last});
    k.put(ir::store{k.in_variable(pair, {maker::index(k.u32(1))}), k.f32(-0.0f)});
    const auto chosen = k.b.load(k.in_variable(pair, {maker::index(k.op(ir::op::bit_and, {i, k.u32(1)}))}));
    k.put(ir::store{k.in_buffer(p, {maker::index(i), maker::member(1)}), chosen});
    k.put(ir::store{k.in_buffer(p, {maker::index(i), maker::member(0), maker::member(2)}), chosen});
    return k.finish();
}

/// 2-D nested control: loops in branches in loops, early return, an assumption, double and 64-bit values.
inline ir::module nested() {
    maker k("nested");
    const auto f64 = k.scalar(ir::scalar_kind::f64);
    const auto i64 = k.scalar(ir::scalar_kind::i64);
    const auto y = k.buffer("y", ir::access::read_write, f64);
    const auto n = k.value("n", k.scalar(ir::scalar_kind::u32));
    const auto column = k.named(k.op(ir::op::global_id, {}, 0), "column");
    const auto row = k.named(k.op(ir::op::global_id, {}, 1), "row");
    k.if_(k.op(ir::op::ge, {column, k.op(ir::op::extent, {}, 0)}), [&] { k.put(ir::return_statement{}); });
    k.put(ir::assume{k.op(ir::op::ne, {n, k.u32(0)})});
    const auto total = k.local("total", k.b.constant(ir::scalar_kind::f64, std::bit_cast<std::uint64_t>(0.1)));
    k.for_(k.u32(0), n, k.u32(2), [&](ir::value_id a) {
        k.if_(
            k.op(ir::op::lt, {a, row}),
            [&] {
                k.for_(a, row, k.u32(1), [&](ir::value_id c) {
                    const auto wide = k.op(ir::op::cast, {c}, 0, i64);
                    k.set(total, k.op(ir::op::add, {k.get(total), k.op(ir::op::cast, {wide}, 0, f64)}));
                    k.if_(k.op(ir::op::gt,
                               {k.get(total), k.b.constant(ir::scalar_kind::f64, std::bit_cast<std::uint64_t>(1e300))}),
                          [&] { k.put(ir::break_statement{}); });
                });
            },
            [&] { k.set(total, k.op(ir::op::neg, {k.get(total)})); });
    });
    k.store(y, k.op(ir::op::add, {k.op(ir::op::mul, {row, n}), column}), k.get(total));
    return k.finish();
}

inline std::vector<ir::module> all_kernels() {
    return {saxpy(), collatz(), reduce(), classify(), histogram(), subgroups(), particles(), nested()};
}

}  // namespace quern::tests
