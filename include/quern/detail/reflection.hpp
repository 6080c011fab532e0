// Structs as the language sees them: what QUERN_STRUCT says about one, or Boost.Hana's adaptation of it, as a type_desc.
// The device's layout is the host's own; what has no such layout is refused here, with advice.
#pragma once

#include <quern/detail/type_of.hpp>

#include <boost/hana/accessors.hpp>
#include <boost/hana/fwd/pair.hpp>
#include <boost/hana/fwd/string.hpp>
#include <boost/hana/fwd/tuple.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace quern::quern_detail {

template <class T>
struct type_tag {
    using type = T;
};

template <class>
struct member_pointer;
template <class S, class M>
struct member_pointer<M S::*> {
    using owner = S;
    using type = M;
};
template <auto Pointer>
using member_t = typename member_pointer<decltype(Pointer)>::type;

struct named_offset {
    const char* name;
    std::size_t offset_bytes;
};

/// What quern_reflection(const S*) returns: the members of S by pointer, and what a pointer does not tell at compile
/// time. The last entry is none.
template <class S, auto... Pointers>
struct reflection {
    using owner = S;
    const char* name;
    named_offset members[sizeof...(Pointers) + 1];
};

template <class S>
inline constexpr bool is_reflected = requires { quern_reflection(static_cast<const S*>(nullptr)); };
template <class S>
inline constexpr bool is_hana_struct = false;
template <class S>
    requires(std::is_class_v<S> && !is_reflected<S>)
inline constexpr bool is_hana_struct<S> = requires { boost::hana::accessors_impl<S>::apply(); };

// the members' pointers out of Boost.Hana's accessors, whose types name them
template <class>
struct hana_member;
template <class Name, template <class P, P> class Accessor, class P, P Pointer>
struct hana_member<boost::hana::pair<Name, Accessor<P, Pointer>>> {
    static constexpr P pointer = Pointer;
};
template <class S, class>
struct hana_members {
    static_assert(always_false<S>, "quern: this struct is adapted by functions; the device needs its members: adapt it "
                                   "with BOOST_HANA_ADAPT_STRUCT or QUERN_STRUCT");
};
template <class S, class... Members>
struct hana_members<S, boost::hana::tuple<Members...>> {
    using type = reflection<S, hana_member<Members>::pointer...>;
};

template <class S>
struct reflection_of {
    using type = std::remove_const_t<decltype(quern_reflection(static_cast<const S*>(nullptr)))>;
};
template <class S>
    requires is_hana_struct<S>
struct reflection_of<S> : hana_members<S, decltype(boost::hana::accessors_impl<S>::apply())> {};
template <class S>
using reflection_t = typename reflection_of<S>::type;

template <class T>
inline constexpr bool is_struct = is_reflected<T> || is_hana_struct<T>;

template <class M>
consteval bool check_member() {
    if constexpr (std::is_empty_v<M>) return true;  // a tag, which the description leaves out
    else if constexpr (std::is_reference_v<M>)
        static_assert(always_false<M>, "quern: a struct on a device holds no references: store the value, or an index "
                                       "into a buffer");
    else if constexpr (std::is_pointer_v<M> || std::is_member_pointer_v<M> || std::is_null_pointer_v<M>)
        static_assert(always_false<M>, "quern: a struct on a device holds no pointers: store an index into a buffer, a "
                                       "uint or a QUERN_NEWTYPE");
    else if constexpr (std::is_const_v<M>)
        static_assert(always_false<M>, "quern: a member that a device stores to is not const: remove the const");
    else if constexpr (std::is_array_v<M>)
        static_assert(always_false<M>, "quern: a C array is not copied as a value: write std::array<float, 4>");
    else if constexpr (!std::is_trivially_copyable_v<M>)
        static_assert(always_false<M>, "quern: a struct on a device is copied byte by byte, and this member is not "
                                       "trivially copyable: store numbers, std::array, or an index into a buffer");
    else
        static_assert(is_described<M>, "quern: the language does not know this member's type: it takes bool, integers, half, "
                                       "bfloat16, float, double, vec, std::array, enums, and structs with a QUERN_STRUCT "
                                       "of their own before this one");
    return true;
}

/// What can be said about S before its members' offsets are taken.
template <class S, class... M>
consteval bool check_struct() {
    static_assert(!std::is_polymorphic_v<S>, "quern: a struct on a device has no virtual functions: use an enum and match, "
                                             "or a template");
    static_assert(std::is_trivially_copyable_v<S> || std::is_polymorphic_v<S>,
                  "quern: a struct on a device is copied byte by byte: remove its copy operations and its destructor, and "
                  "members that have some");
    static_assert(std::is_standard_layout_v<S> || std::is_polymorphic_v<S> || !std::is_trivially_copyable_v<S>,
                  "quern: a struct on a device has all of its members in one class, with the same access: replace a base "
                  "class by a member");
    static_assert(sizeof...(M) != 0 || std::is_empty_v<S>, "quern: name the struct's members: QUERN_STRUCT(particle, position, "
                                                           "mass)");
    return (check_member<M>() && ... && true);
}

constexpr std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

/// The offsets that the host's rules give to members listed in order: for a struct that tells no others.
template <class S, auto... Pointers>
constexpr reflection<S, Pointers...> laid_out(type_tag<reflection<S, Pointers...>>) {
    reflection<S, Pointers...> r{"", {}};
    std::size_t end = 0, i = 0;
    const auto place = [&](std::size_t size, std::size_t alignment) {
        r.members[i++] = {"", round_up(end, alignment)};
        end = round_up(end, alignment) + size;
    };
    (place(sizeof(member_t<Pointers>), alignof(member_t<Pointers>)), ...);
    r.members[i] = {nullptr, end};
    return r;
}

template <class S>
consteval auto reflect() {
    if constexpr (is_reflected<S>) return quern_reflection(static_cast<const S*>(nullptr));
    else return laid_out(type_tag<reflection_t<S>>{});
}

/// Members in the order of their declaration, without overlap, filling S.
template <class S, auto... Pointers>
consteval bool members_fill(const reflection<S, Pointers...>& r) {
    const std::size_t sizes[] = {sizeof(member_t<Pointers>)..., 0};
    std::size_t end = 0;
    for (std::size_t i = 0; i < sizeof...(Pointers); ++i) {
        if (r.members[i].offset_bytes < end) return false;
        end = r.members[i].offset_bytes + sizes[i];
    }
    return end <= sizeof(S) && (is_reflected<S> || std::is_empty_v<S> || round_up(end, alignof(S)) == sizeof(S));
}

template <std::size_t Count>
struct member_list {
    member_desc at[Count + 1];
};
template <class M>
consteval const type_desc* type_of_member() {
    if constexpr (std::is_empty_v<M>) return nullptr;
    else return &described<M>::value;
}
template <class S, auto... Pointers>
consteval auto describe_members(const reflection<S, Pointers...>& r) {
    const type_desc* const types[] = {type_of_member<member_t<Pointers>>()..., nullptr};
    member_list<sizeof...(Pointers)> list{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < sizeof...(Pointers); ++i)
        if (types[i]) list.at[count++] = {r.members[i].name, static_cast<std::uint32_t>(r.members[i].offset_bytes), types[i]};
    return list;
}

template <class R>
struct struct_members;
template <class S, auto... Pointers>
struct struct_members<reflection<S, Pointers...>> {
    static_assert(check_struct<S, member_t<Pointers>...>());
    static constexpr auto layout = reflect<S>();
    static_assert(members_fill(layout), "quern: the struct's members are not all listed, or not in the order of their "
                                        "declaration");
    static constexpr std::uint32_t count = (std::uint32_t{!std::is_empty_v<member_t<Pointers>>} + ... + 0u);
    static_assert(count != 0, "quern: this struct holds nothing: leave it out, or make it a member of one that does");
    static constexpr auto list = describe_members(layout);

    /// Where the compiler itself puts a member, in place of what laid_out assumed.
    static bool is_as_laid_out() {
        alignas(S) static unsigned char bytes[sizeof(S)];
        const S& s = reinterpret_cast<const S&>(bytes);
        std::size_t i = 0;
        [[maybe_unused]] const auto agrees = [&](const void* member) {
            return static_cast<const unsigned char*>(member) == bytes + layout.members[i++].offset_bytes;
        };
        return (agrees(&(s.*Pointers)) && ... && true);
    }
};

template <class S>
    requires is_struct<S>
struct described<S> {
    using members = struct_members<reflection_t<S>>;
    static constexpr type_desc value{.kind = type_kind::structure, .count = members::count, .size_bytes = sizeof(S),
                                     .alignment_bytes = alignof(S), .members = members::list.at,
                                     .name = members::layout.name};
};

/// The number of a member that a pointer names; `count` if it is none of S's listed ones.
template <auto Wanted, class R>
struct member_number;
template <auto Wanted, class S, auto... Pointers>
struct member_number<Wanted, reflection<S, Pointers...>> {
    template <auto Pointer>
    static consteval bool is_wanted() {
        if constexpr (std::is_same_v<decltype(Wanted), decltype(Pointer)>) return Wanted == Pointer;
        else return false;
    }
    static consteval std::uint32_t find() {
        std::uint32_t number = 0;
        static_cast<void>(((is_wanted<Pointers>() || (number += !std::is_empty_v<member_t<Pointers>>, false)) || ... || false));
        return number;
    }
    static constexpr std::uint32_t value = find();
};

/// Whether the layout of T is as described; true without a look where the compiler told the offsets.
template <class T>
struct layout_check {
    static bool holds() { return true; }
};
template <class T, std::size_t N>
struct layout_check<std::array<T, N>> : layout_check<T> {};
template <class R>
struct members_check;
template <class S, auto... Pointers>
struct members_check<reflection<S, Pointers...>> {
    static bool holds() {
        const bool itself = is_reflected<S> || struct_members<reflection<S, Pointers...>>::is_as_laid_out();
        return itself && (layout_check<member_t<Pointers>>::holds() && ... && true);
    }
};
template <class S>
    requires is_struct<S>
struct layout_check<S> {
    static bool holds() {
        static const bool h = members_check<reflection_t<S>>::holds();
        return h;
    }
};

/// An accessor of QUERN_STRUCT's members for Boost.Hana.
template <auto Pointer>
struct member_accessor {
    template <class S>
    constexpr decltype(auto) operator()(S&& s) const {
        return static_cast<S&&>(s).*Pointer;
    }
};

}  // namespace quern::quern_detail

namespace boost::hana {

/// QUERN_STRUCT makes a Boost.Hana Struct; include Hana's headers to use it as one.
template <class S>
struct accessors_impl<S, when<::quern::quern_detail::is_reflected<S>>> {
    static constexpr auto apply() { return list(::quern::quern_detail::type_tag<::quern::quern_detail::reflection_t<S>>{}); }

private:
    template <auto... Pointers>
    static constexpr auto list(::quern::quern_detail::type_tag<::quern::quern_detail::reflection<S, Pointers...>>) {
        return number<Pointers...>(std::make_index_sequence<sizeof...(Pointers)>{});
    }
    template <auto... Pointers, std::size_t... I>
    static constexpr auto number(std::index_sequence<I...>) {
        return make_tuple(make_pair(name<I>(std::make_index_sequence<length<I>()>{}), ::quern::quern_detail::member_accessor<Pointers>{})...);
    }
    template <std::size_t I>
    static consteval std::size_t length() {
        std::size_t n = 0;
        while (::quern::quern_detail::reflect<S>().members[I].name[n] != '\0') ++n;
        return n;
    }
    template <std::size_t I, std::size_t... At>
    static constexpr auto name(std::index_sequence<At...>) {
        return string<::quern::quern_detail::reflect<S>().members[I].name[At]...>{};
    }
};

}  // namespace boost::hana
