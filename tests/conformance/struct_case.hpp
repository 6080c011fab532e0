// A struct's way through a device: what a kernel that copies one by whole, by member, through variables, arrays and a
// parameter must leave in memory, padding included. The host's own code computes what is expected.
#pragma once

#include <quern/quern.hpp>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/conformance/configuration.hpp"
#include "tests/support/tracing.hpp"

namespace quern::tests {

template <class... T>
struct type_list {};

/// A kernel with its arguments before and after. Owns the module.
struct struct_case {
    std::string name;
    ir::module kernel;
    std::vector<bytes> before, after;
    bytes values;
    std::array<std::uint64_t, 3> extent{1, 1, 1};
};

/// One function a file of structs.
std::vector<struct_case> struct_cases_0();
std::vector<struct_case> struct_cases_1();
std::vector<struct_case> struct_cases_2();
std::vector<struct_case> struct_cases_3();

inline constexpr std::size_t struct_elements = 24;

template <class X>
using leaf_owner = quern_detail::operand_t<std::remove_cvref_t<X>>;

/// Calls f(a, b) for every scalar or vector inside; A and B are host objects, places or values.
template <class A, class B, class F>
void each_leaf(A&& a, B&& b, F f) {
    using T = leaf_owner<A>;
    if constexpr (std::is_empty_v<T>) return;
    else if constexpr (quern_detail::is_scalar_or_vec<T>) f(static_cast<A&&>(a), static_cast<B&&>(b));
    else if constexpr (quern_detail::is_struct<T>)
        each(quern_detail::type_tag<T>{}, a, b, [&](auto& x, auto& y) { each_leaf(x, y, f); });
    else
        for (std::size_t i = 0; i < std::tuple_size_v<T>; ++i) each_leaf(a[i], b[i], f);
}

struct assign {
    template <class A, class B>
    void operator()(A&& a, B&& b) const {
        static_cast<A&&>(a) = static_cast<B&&>(b);
    }
};

/// Random values of every kind; a bool is 0 or 1, a float is a number.
struct fill {
    std::mt19937& random;

    template <class T>
    void operator()(T& to, T&) const {
        if constexpr (quern_detail::is_vec<T>)
            for (auto& c : to.components) (*this)(c, c);
        else if constexpr (std::is_enum_v<T> || (std::is_integral_v<T> && !std::is_same_v<T, bool>)) {
            const std::uint64_t bits = std::uint64_t{random()} << 32 | random();
            std::memcpy(static_cast<void*>(&to), &bits, sizeof(T));
        } else if constexpr (std::is_same_v<T, bool>) to = random() % 2 != 0;
        else to = T(static_cast<float>(random() % 4096) * 0.125f - 200.f);
    }
};

template <class S>
std::vector<S> patterned(unsigned char pattern) {
    std::vector<S> v(struct_elements);
    std::memset(static_cast<void*>(v.data()), pattern, v.size() * sizeof(S));
    return v;
}

template <class S>
bytes bytes_of(const std::vector<S>& v) {
    const auto* first = reinterpret_cast<const std::byte*>(v.data());
    return bytes(first, first + v.size() * sizeof(S));
}

/// Leaf by leaf, so that no padding moves.
template <class S>
void copy_leaves(S& to, S& from) {
    each_leaf(to, from, [](auto& a, auto& b) {
        if constexpr (quern_detail::is_vec<std::remove_cvref_t<decltype(a)>>)
            for (std::size_t i = 0; i < std::size(a.components); ++i) a[i] = b[i];
        else a = b;
    });
}

template <class S>
struct_case make_struct_case(unsigned seed) {
    struct_case c;
    c.name = quern_detail::type_of<S>.name;
    c.kernel = module_of([](in<S> from, out<S> whole, out<S> by_member, inout<S> through_arrays, val<S> value) {
        workgroup_size(8);
        val i = global_id();
        val me = local_id();
        val loaded = from[i];
        whole[i] = loaded;

        place to = by_member[i];
        var held = from[i];
        each_leaf(to, held, assign{});

        local_array<S> own(3);
        own[1] = through_arrays[i];
        own[me % 2u * 2u] = value;
        shared<S> tile(8);
        tile[me] = own[1];
        barrier();
        place back = through_arrays[i];
        if_(me % 2u == 0u, [&] {
            val neighbour = tile[7u - me];
            each_leaf(back, neighbour, assign{});
        }).else_([&] { through_arrays[i] = own[2]; });
    });

    std::mt19937 random(seed);
    auto from = patterned<S>(0x11), whole = patterned<S>(0x22), by_member = patterned<S>(0x33), arrays = patterned<S>(0x44), value = patterned<S>(0x55);
    for (auto* v : {&from, &arrays, &value})
        for (S& s : *v) each_leaf(s, s, fill{random});
    value.resize(1);
    c.values = bytes_of(value);
    c.extent = {struct_elements, 1, 1};
    c.before = {bytes_of(from), bytes_of(whole), bytes_of(by_member), bytes_of(arrays)};
    auto old = arrays;
    std::memcpy(static_cast<void*>(old.data()), arrays.data(), sizeof(S) * arrays.size());
    for (std::size_t i = 0; i < struct_elements; ++i) {
        copy_leaves(whole[i], from[i]);
        copy_leaves(by_member[i], from[i]);
        copy_leaves(arrays[i], i % 2 == 0 ? old[i / 8 * 8 + 7 - i % 8] : value[0]);
    }
    c.after = {bytes_of(from), bytes_of(whole), bytes_of(by_member), bytes_of(arrays)};
    return c;
}

template <class... S>
std::vector<struct_case> make_struct_cases(type_list<S...>) {
    std::vector<struct_case> cases;
    (cases.push_back(make_struct_case<S>(static_cast<unsigned>(cases.size()))), ...);
    return cases;
}

}  // namespace quern::tests
