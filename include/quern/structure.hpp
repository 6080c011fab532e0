// Structs in kernels: QUERN_STRUCT lists the members, which are then read and written by name; get<&S::member>(p) does
// it for structs that Boost.Hana knows already.
#pragma once

#include <quern/detail/macros.hpp>
#include <quern/variable.hpp>

namespace quern {

/// The member of a traced struct that a pointer names: a place of a place, a value of a value. For structs adapted with
/// BOOST_HANA_ADAPT_STRUCT, and for members that are called val, var or place.
template <auto Member, class X>
    requires quern_detail::is_traced<X>
auto get(X&& x) {
    using namespace quern_detail;
    using S = value_t<X>;
    check_operand<X>();
    static_assert(is_struct<S>, "quern: get takes a member of a struct: write get<&particle::mass>(p[i]) with a struct that "
                                "QUERN_STRUCT or BOOST_HANA_ADAPT_STRUCT lists");
    static_assert(std::is_same_v<typename member_pointer<decltype(Member)>::owner, S>,
                  "quern: this member belongs to another struct");
    if constexpr (is_struct<S> && std::is_same_v<typename member_pointer<decltype(Member)>::owner, S>) {
        constexpr std::uint32_t number = member_number<Member, reflection_t<S>>::value;
        static_assert(number < type_of<S>.count, "quern: this member is not listed for the language");
        if constexpr (requires { x.traced_place(); }) {
            constexpr place_access access = access_of<std::remove_cvref_t<X>>();
            return place_part<member_t<Member>, access, number>(place_root{x.traced_place(), {}});
        } else return value_part<member_t<Member>, number>(x.traced_node());
    }
}

}  // namespace quern

#define QUERN_DETAIL_MEMBER_TYPE(S, member) , decltype(S::member)
#define QUERN_DETAIL_MEMBER_POINTER(S, member) , &S::member
#define QUERN_DETAIL_MEMBER_OFFSET(S, member) {#member, __builtin_offsetof(S, member)},
#define QUERN_DETAIL_MEMBER_INIT(S, member) , member(quern_root)
#define QUERN_DETAIL_MEMBER_PART(S, member) typename quern_Parts::template part<&S::member> member;

/// QUERN_STRUCT(particle, position, mass): lists the members of a struct, all and in order, in its own namespace. The
/// device lays it out as the host does; padding is never written there.
#define QUERN_STRUCT(S, ...)                                                                                            \
    static_assert(::quern::quern_detail::check_struct<S QUERN_DETAIL_FOR_EACH(QUERN_DETAIL_MEMBER_TYPE, S, __VA_ARGS__)>()); \
    [[maybe_unused]] constexpr auto quern_reflection(const S*) {                                                        \
        return ::quern::quern_detail::reflection<S QUERN_DETAIL_FOR_EACH(QUERN_DETAIL_MEMBER_POINTER, S, __VA_ARGS__)>{ \
            #S, {QUERN_DETAIL_FOR_EACH(QUERN_DETAIL_MEMBER_OFFSET, S, __VA_ARGS__)}};                                   \
    }                                                                                                                   \
    [[maybe_unused]] inline void quern_members_are_complete([[maybe_unused]] S& quern_s) {                              \
        __VA_OPT__([[maybe_unused]] auto& [__VA_ARGS__] = quern_s;)                                                     \
    }                                                                                                                   \
    template <class quern_Parts>                                                                                        \
    [[maybe_unused]] constexpr auto quern_members(const S*, const quern_Parts*) {                                       \
        struct quern_members_type : quern_Parts::base {                                                                 \
            explicit quern_members_type([[maybe_unused]] const typename quern_Parts::root& quern_root)                  \
                : quern_Parts::base() QUERN_DETAIL_FOR_EACH(QUERN_DETAIL_MEMBER_INIT, S, __VA_ARGS__) {}                \
            QUERN_DETAIL_FOR_EACH(QUERN_DETAIL_MEMBER_PART, S, __VA_ARGS__)                                             \
        };                                                                                                              \
        return ::quern::quern_detail::type_tag<quern_members_type>{};                                                   \
    }                                                                                                                   \
    static_assert(true)
