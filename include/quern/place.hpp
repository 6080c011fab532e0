// Places: memory that is read when an operator takes it and written by assignment. y[i] is meant to be used at once;
// place<T> names one.
#pragma once

#include <quern/value.hpp>

namespace quern {

namespace quern_detail {

enum class place_access : std::uint8_t { read, write, read_write };

template <class T, place_access Access>
class place_reference;
template <class T, place_access Access, std::uint32_t... Path>
class place_part;
template <class T, int Count, std::uint64_t Pattern, place_access Access>
class swizzle_reference;

/// Where the parts of a place are found. `where` is the line that named the place; without a line (0) a part reads on
/// the line of the statement that takes it.
struct place_root {
    place_handle place;
    location where;
};
inline const location* known(const location& where) { return where.line() != 0 ? &where : nullptr; }

/// What a place of type T has besides itself: nothing for scalars. Path: the members' numbers from the root to it.
template <class Derived, class T, place_access Access, std::uint32_t... Path>
struct place_parts {
    explicit place_parts(const place_root&) {}
};

/// Components of a vector in memory: v.x(), v[i] and v.xy() are places, repeated ones (v.xx()) a value.
template <class Derived, class T, place_access Access, std::uint32_t... Path>
    requires is_vec<T>
struct place_parts<Derived, T, Access, Path...> : swizzles<Derived, width<T>> {
    using component_type = component_t<T>;

    explicit place_parts(const place_root&) {}

    auto x() const { return part(0); }
    auto y() const { return part(1); }
    auto z() const requires(width<T> > 2) { return part(2); }
    auto w() const requires(width<T> > 3) { return part(3); }
    /// Component i as a place; traced indices are allowed, out of range is undefined.
    auto operator[](index i) const {
        return place_reference<component_type, Access>(
            record_element(self().traced_place(), i.value, type_of<component_type>, i.where), i.where);
    }

    template <int Count, std::uint64_t Pattern>
    auto swizzled() const {
        if constexpr (is_permutation(Pattern, Count))
            return swizzle_reference<T, Count, Pattern, Access>(self().traced_place(), self().traced_location());
        else {
            const node operands[] = {self().traced_node()};
            return expression<op::swizzle, vec<component_type, Count>, 1>(operands, Pattern);
        }
    }

private:
    static constexpr bool is_permutation(std::uint64_t pattern, int count) {
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < i; ++j)
                if ((pattern >> (4 * i) & 15) == (pattern >> (4 * j) & 15)) return false;
        return true;
    }
    const Derived& self() const { return static_cast<const Derived&>(*this); }
    auto part(std::uint32_t i) const {
        return place_reference<component_type, Access>(
            record_component(self().traced_place(), i, type_of<component_type>), self().traced_location());
    }
};

/// Elements of arrays in memory: p[i] is a place.
template <class Derived, class T, std::size_t N, place_access Access, std::uint32_t... Path>
struct place_parts<Derived, std::array<T, N>, Access, Path...> {
    explicit place_parts(const place_root&) {}
    /// Element i as a place; traced indices are allowed, out of range is undefined.
    auto operator[](index i) const {
        return place_reference<T, Access>(
            record_element(static_cast<const Derived&>(*this).traced_place(), i.value, type_of<T>, i.where), i.where);
    }
};

/// An object with the user's line, for operators that take nothing else.
template <class X>
struct located {
    const X& object;
    location where;
    located(const X& x, location l = location::current()) : object(x), where(l) {}  // NOLINT: converts on purpose
};

/// Compound assignment, in terms of traced_node() and traced_store(node, location) of Derived.
template <class Derived, class T>
struct assignable {
    void operator+=(operand<T> e) const { update<op::add, operand_class::arithmetic>(e); }
    void operator-=(operand<T> e) const { update<op::sub, operand_class::arithmetic>(e); }
    void operator*=(operand<T> e) const { update<op::mul, operand_class::arithmetic>(e); }
    void operator/=(operand<T> e) const { update<op::div, operand_class::arithmetic>(e); }
    void operator%=(operand<T> e) const { update<op::rem, operand_class::integral>(e); }
    void operator&=(operand<T> e) const { update<op::bit_and, operand_class::bits>(e); }
    void operator|=(operand<T> e) const { update<op::bit_or, operand_class::bits>(e); }
    void operator^=(operand<T> e) const { update<op::bit_xor, operand_class::bits>(e); }
    void operator<<=(operand<T> e) const { update<op::shl, operand_class::integral>(e); }
    void operator>>=(operand<T> e) const { update<op::shr, operand_class::integral>(e); }

    friend void operator++(located<Derived> l) { step<op::add>(l); }
    friend val<T> operator++(located<Derived> l, int) { return step<op::add>(l); }
    friend void operator--(located<Derived> l) { step<op::sub>(l); }
    friend val<T> operator--(located<Derived> l, int) { return step<op::sub>(l); }

private:
    template <op Op, operand_class Class>
    void update(const operand<T>& e) const {
        check_type<Class, T>();
        const Derived& self = static_cast<const Derived&>(*this);
        const node operands[] = {self.traced_node(), e.value};
        self.traced_store(record_operation(Op, type_of<T>, operands, 2), e.where);
    }
    template <op Op>
    static val<T> step(const located<Derived>& l) {
        check_type<operand_class::arithmetic, T>();
        const node old = record_value(l.object.traced_node(), l.where);
        const node operands[] = {old, host_constant<T>(1)};
        l.object.traced_store(record_operation(Op, type_of<T>, operands, 2), l.where);
        return val<T>::from_node(old);
    }
};

template <place_access Access>
consteval void check_readable() {
    static_assert(Access != place_access::write, "quern: an out<T> parameter is only written: declare it as inout<T> "
                                                 "to read it as well");
}
template <place_access Access>
consteval void check_writable() {
    static_assert(Access != place_access::read, "quern: an in<T> parameter is only read: declare it as out<T> or "
                                                "inout<T> to write it");
}

/// What y[i] returns: reads when an operator or a val takes it, `y[i] = e` stores. Not copyable: use it at once.
template <class T, place_access Access>
class place_reference : public traced_object,
                        public place_parts<place_reference<T, Access>, T, Access>,
                        public assignable<place_reference<T, Access>, T> {
public:
    using value_type = T;
    using is_place_reference = void;
    static constexpr place_access traced_access = Access;

    place_reference(place_handle p, const location& where)
        : place_parts<place_reference, T, Access>(place_root{p, where}), place_(p), where_(where) {}
    place_reference(const place_reference&) = delete;

    void operator=(operand<T> e) && { traced_store(e.value, e.where); }
    void operator=(operand<T>) & {
        static_assert(always_false<operand<T>>,
                      "quern: this name stands for a place that was meant to be used at once: write "
                      "`place r = y[i];` to name it");
    }
    place_reference& operator=(const place_reference&) requires(false);

    node traced_node() const {
        check_readable<Access>();
        return record_load(place_, type_of<T>, known(where_));
    }
    place_handle traced_place() const { return place_; }
    const location& traced_location() const { return where_; }
    void traced_store(node n, const location& where) const {
        check_writable<Access>();
        record_store(place_, n, where);
    }

private:
    place_handle place_;
    location where_;
};

/// v.xy(): several components of a vector in memory, each at most once. Reads when an operator or a val takes it,
/// `v.xy() = e` stores them. Not copyable: use it at once.
template <class T, int Count, std::uint64_t Pattern, place_access Access>
class swizzle_reference
    : public traced_object,
      public vector_value<swizzle_reference<T, Count, Pattern, Access>, vec<component_t<T>, Count>>,
      public assignable<swizzle_reference<T, Count, Pattern, Access>, vec<component_t<T>, Count>> {
public:
    using value_type = vec<component_t<T>, Count>;
    using is_place_reference = void;

    swizzle_reference(place_handle p, const location& where) : place_(p), where_(where) {}
    swizzle_reference(const swizzle_reference&) = delete;

    void operator=(operand<value_type> e) && { traced_store(e.value, e.where); }
    void operator=(operand<value_type>) & {
        static_assert(always_false<operand<value_type>>,
                      "quern: this name stands for components that were meant to be used at once: write v.xy() = e");
    }
    swizzle_reference& operator=(const swizzle_reference&) requires(false);

    node traced_node() const {
        check_readable<Access>();
        const node operands[] = {record_load(place_, type_of<T>, known(where_))};
        return record_operation(op::swizzle, type_of<value_type>, operands, 1, Pattern);
    }
    void traced_store(node n, const location& where) const {
        check_writable<Access>();
        const node value = record_value(n, where);
        for (std::uint32_t i = 0; i < Count; ++i) {
            const auto component = static_cast<std::uint32_t>(Pattern >> (4 * i) & 15);
            record_store(record_component(place_, component, type_of<component_t<T>>),
                         record_operation(op::extract, type_of<component_t<T>>, &value, 1, i), where);
        }
    }

private:
    place_handle place_;
    location where_;
};

/// A member of a struct in memory: p[i].mass. A place with the struct's line; made with the struct, so not copyable.
template <class T, place_access Access, std::uint32_t... Path>
class place_part : public traced_object,
                   public place_parts<place_part<T, Access, Path...>, T, Access, Path...>,
                   public assignable<place_part<T, Access, Path...>, T> {
public:
    using value_type = T;
    static constexpr place_access traced_access = Access;

    explicit place_part(const place_root& r) : place_parts<place_part, T, Access, Path...>(r), root_(r) {}
    place_part(const place_part&) = delete;

    void operator=(operand<T> e) const { traced_store(e.value, e.where); }
    place_part& operator=(const place_part&) requires(false);

    node traced_node() const {
        check_readable<Access>();
        return record_load(traced_place(), type_of<T>, known(root_.where));
    }
    place_handle traced_place() const {
        place_handle p = root_.place;
        ((p = record_component(p, Path, type_of<T>)), ...);
        return p;
    }
    const location& traced_location() const { return root_.where; }
    void traced_store(node n, const location& where) const {
        check_writable<Access>();
        record_store(traced_place(), n, where);
    }

private:
    place_root root_;
};

/// What may be done with a place; a var, which says nothing, is read and written.
template <class Place>
consteval place_access access_of() {
    if constexpr (requires { Place::traced_access; }) return Place::traced_access;
    else return place_access::read_write;
}

/// How QUERN_STRUCT makes the members of a place of type S.
template <class S, place_access Access, std::uint32_t... Path>
struct place_members {
    using base = no_parts;
    using root = place_root;
    template <auto Pointer>
    using part =
        part_or_nothing<Pointer, type_tag<place_part<member_t<Pointer>, Access, Path..., member_number<Pointer, reflection_t<S>>::value>>>;
};

template <class Derived, class T, place_access Access, std::uint32_t... Path>
    requires is_reflected<T>
struct place_parts<Derived, T, Access, Path...> : named_members<T, place_members<T, Access, Path...>> {
    explicit place_parts(const place_root& r) : named_members<T, place_members<T, Access, Path...>>(r) {}
};

}  // namespace quern_detail

/// A named place: `place r = y[i];` reads and writes y[i] wherever r is used.
template <class T, quern_detail::place_access Access = quern_detail::place_access::read_write>
class place : public traced_object,
              public quern_detail::place_parts<place<T, Access>, T, Access>,
              public quern_detail::assignable<place<T, Access>, T> {
public:
    using value_type = T;
    static constexpr quern_detail::place_access traced_access = Access;

    place(const quern_detail::place_reference<T, Access>& r)  // NOLINT: converts on purpose
        : place(r.traced_place(), r.traced_location()) {}
    template <std::uint32_t... Path>
    place(const quern_detail::place_part<T, Access, Path...>& r)  // NOLINT: converts on purpose
        : place(r.traced_place(), r.traced_location()) {}
    place(const place& other) : place(other.place_, other.where_) {}

    void operator=(quern_detail::operand<T> e) { traced_store(e.value, e.where); }
    place& operator=(const place&) requires(false);

    quern_detail::node traced_node() const {
        quern_detail::check_readable<Access>();
        return quern_detail::record_load(place_, quern_detail::type_of<T>, nullptr);
    }
    quern_detail::place_handle traced_place() const { return place_; }
    const quern_detail::location& traced_location() const { return where_; }
    void traced_store(quern_detail::node n, const quern_detail::location& where) const {
        quern_detail::check_writable<Access>();
        quern_detail::record_store(place_, n, where);
    }

private:
    // its parts read where they are used, not where the place was named
    place(quern_detail::place_handle p, const quern_detail::location& where)
        : quern_detail::place_parts<place, T, Access>(quern_detail::place_root{p, {}}), place_(p), where_(where) {}

    quern_detail::place_handle place_;
    quern_detail::location where_;
};

template <class T, quern_detail::place_access Access, std::uint32_t... Path>
place(const quern_detail::place_part<T, Access, Path...>&) -> place<T, Access>;
template <class T, quern_detail::place_access Access>
place(const quern_detail::place_reference<T, Access>&) -> place<T, Access>;

}  // namespace quern
