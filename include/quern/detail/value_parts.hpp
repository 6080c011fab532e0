// Parts of values: components of vectors, elements of arrays, members of structs. All are values themselves; a part
// is taken when an operator or a val takes it.
#pragma once

#include <quern/expression.hpp>

namespace quern {

template <class T>
class val;

namespace quern_detail {

/// What a val<T> or a member of type T has besides itself, found in the value `root` along the member numbers Path.
template <class Derived, class T, std::uint32_t... Path>
struct value_parts : vector_value<Derived, T> {
    explicit value_parts(node) {}
};

template <class Derived, class T, std::size_t N, std::uint32_t... Path>
struct value_parts<Derived, std::array<T, N>, Path...> {
    explicit value_parts(node) {}
    /// Element i; traced indices are allowed, out of range is undefined.
    val<T> operator[](index i) const {
        const node whole = static_cast<const Derived&>(*this).traced_node();
        return val<T>::from_node(record_array_element(whole, i.value, type_of<std::array<T, N>>, type_of<T>, i.where));
    }
};

/// A member of a struct's value.
template <class T, std::uint32_t... Path>
class value_part : public traced_object, public value_parts<value_part<T, Path...>, T, Path...> {
public:
    using value_type = T;

    explicit value_part(node root) : value_parts<value_part, T, Path...>(root), root_(root) {}

    node traced_node() const { return record_member(root_, path, sizeof...(Path)); }

private:
    static constexpr std::uint32_t path[] = {Path...};
    node root_;
};

struct no_parts {};
/// An empty member: nothing to read or write.
struct no_member {
    template <class Root>
    explicit no_member(const Root&) {}
};
template <auto Pointer, class Part>
using part_or_nothing = typename std::conditional_t<std::is_empty_v<member_t<Pointer>>, type_tag<no_member>, Part>::type;

/// How QUERN_STRUCT makes the members of a value of type S.
template <class S, std::uint32_t... Path>
struct value_members {
    using base = no_parts;
    using root = node;
    template <auto Pointer>
    using part = part_or_nothing<Pointer, type_tag<value_part<member_t<Pointer>, Path..., member_number<Pointer, reflection_t<S>>::value>>>;
};

template <class S, class Members>
using named_members = typename decltype(quern_members(static_cast<const S*>(nullptr), static_cast<const Members*>(nullptr)))::type;

template <class Derived, class T, std::uint32_t... Path>
    requires is_reflected<T>
struct value_parts<Derived, T, Path...> : named_members<T, value_members<T, Path...>> {
    explicit value_parts(node root) : named_members<T, value_members<T, Path...>>(root) {}
};

}  // namespace quern_detail
}  // namespace quern
