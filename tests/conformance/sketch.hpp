// Small kernels written straight into the IR, for tests that must not depend on the language's front.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "dsl/ir/builder.hpp"

namespace quern::tests {

/// A module with its body open. Call finish() once.
struct sketch {
    ir::module m;
    ir::builder b{m};

    explicit sketch(std::string name) {
        m.name = std::move(name);
        m.math = ir::math_mode::precise;
        b.begin_block();
    }
    sketch(const sketch&) = delete;

    ir::type_id scalar(ir::scalar_kind k) { return ir::intern_scalar(m, k); }
    ir::type_id shaped(ir::scalar_kind k, std::uint32_t width) {
        return width == 1 ? scalar(k) : ir::intern_vector(m, k, width);
    }
    std::uint32_t buffer(ir::type_id element, ir::access a = ir::access::read_write) {
        return b.add_parameter({ir::parameter_kind::buffer, a, false, element}).number;
    }
    ir::value_id value(ir::type_id type) {
        const auto number = b.add_parameter({ir::parameter_kind::value, ir::access::read, false, type}).number;
        return b.define(ir::op::parameter, {}, number, type);
    }
    ir::value_id u32(std::uint32_t n) { return b.constant(ir::scalar_kind::u32, n); }
    ir::value_id leaf(ir::op code, std::uint32_t dimension = 0) { return b.define(code, {}, dimension); }

    ir::place_id element(std::uint32_t parameter, ir::value_id index) {
        return place(ir::root_kind::parameter, parameter, {{ir::step::kind::index, index, 0}});
    }
    ir::place_id place(ir::root_kind root, std::uint32_t number, std::initializer_list<ir::step> steps) {
        return b.add_place(root, number, std::vector(steps));
    }
    ir::value_id load(std::uint32_t parameter, ir::value_id index) { return b.load(element(parameter, index)); }
    void store(std::uint32_t parameter, ir::value_id index, ir::value_id v) {
        b.append(ir::store{element(parameter, index), v});
    }
    std::uint32_t variable(ir::storage s, ir::type_id t) {
        const ir::variable_id v = b.add_variable({s, t});
        if (s == ir::storage::local) b.append(ir::declare{v});
        return v.number;
    }
    /// A block made by `fill`.
    template <class F>
    ir::block_id block(F fill) {
        b.begin_block();
        fill();
        return b.end_block();
    }
    template <class F>
    void if_(ir::value_id condition, F then) {
        const ir::block_id taken = block(then);
        b.append(ir::if_statement{condition, taken, block([] {})});
    }
    /// for (i = first; i < last; i += step) of u32.
    template <class F>
    void for_(ir::value_id first, ir::value_id last, ir::value_id step, F body) {
        const ir::value_id i = b.make(ir::op::induction, m[first].type, {});
        const ir::block_id repeated = block([&] { body(i); });
        b.append(ir::for_statement{i, first, last, step, repeated});
    }
    /// Locations given from now on.
    void at(const std::string& file, std::uint32_t line) {
        m.files.push_back(file);
        m.locations.push_back({{static_cast<std::uint32_t>(m.files.size() - 1)}, line, 1});
        b.set_location({static_cast<std::uint32_t>(m.locations.size() - 1)});
    }
    void cooperate(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
        m.cooperative = true;
        m.workgroup_size = {x, y, z};
    }
    ir::module& finish() {
        m.body = b.end_block();
        return m;
    }
};

}  // namespace quern::tests
