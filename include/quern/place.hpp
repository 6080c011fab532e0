// Places: memory that is read when an operator takes it and written by assignment. y[i] is meant to be used at once;
// place<T> names one.
#pragma once

#include <quern/value.hpp>

namespace quern {

namespace quern_detail {

enum class place_access : std::uint8_t { read, write, read_write };

template <class T, place_access Access>
class place_reference;

/// Parts of vectors in memory: v.x(), v[i] are places, v.xyz() a value. Nothing for scalars.
template <class Derived, class T, place_access Access>
struct vector_place {};

template <class Derived, class T, place_access Access>
    requires is_vec<T>
struct vector_place<Derived, T, Access> : swizzles<Derived, width<T>> {
    using component_type = component_t<T>;

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
        const node operands[] = {self().traced_node()};
        return expression<op::swizzle, vec<component_type, Count>, 1>(operands, Pattern);
    }

private:
    const Derived& self() const { return static_cast<const Derived&>(*this); }
    auto part(std::uint32_t i) const {
        return place_reference<component_type, Access>(
            record_component(self().traced_place(), i, type_of<component_type>), self().traced_location());
    }
};

/// Elements of arrays in memory: p[i] is a place.
template <class Derived, class T, std::size_t N, place_access Access>
struct vector_place<Derived, std::array<T, N>, Access> {
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

/// Compound assignment, in terms of traced_node() and store(node, location) of Derived.
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
        self.store(record_operation(Op, type_of<T>, operands, 2), e.where);
    }
    template <op Op>
    static val<T> step(const located<Derived>& l) {
        check_type<operand_class::arithmetic, T>();
        const node old = record_value(l.object.traced_node(), l.where);
        const node operands[] = {old, host_constant<T>(1)};
        l.object.store(record_operation(Op, type_of<T>, operands, 2), l.where);
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
                        public vector_place<place_reference<T, Access>, T, Access>,
                        public assignable<place_reference<T, Access>, T> {
public:
    using value_type = T;
    using is_place_reference = void;
    static constexpr place_access access = Access;

    place_reference(place_handle p, const location& where) : place_(p), where_(where) {}
    place_reference(const place_reference&) = delete;

    void operator=(operand<T> e) && { store(e.value, e.where); }
    void operator=(operand<T>) & {
        static_assert(always_false<operand<T>>,
                      "quern: this name stands for a place that was meant to be used at once: write "
                      "`place r = y[i];` to name it");
    }
    place_reference& operator=(const place_reference&) requires(false);

    node traced_node() const {
        check_readable<Access>();
        return record_load(place_, type_of<T>, &where_);
    }
    place_handle traced_place() const { return place_; }
    const location& traced_location() const { return where_; }
    void store(node n, const location& where) const {
        check_writable<Access>();
        record_store(place_, n, where);
    }

private:
    place_handle place_;
    location where_;
};

}  // namespace quern_detail

/// A named place: `place r = y[i];` reads and writes y[i] wherever r is used.
template <class T, quern_detail::place_access Access = quern_detail::place_access::read_write>
class place : public traced_object,
              public quern_detail::vector_place<place<T, Access>, T, Access>,
              public quern_detail::assignable<place<T, Access>, T> {
public:
    using value_type = T;
    static constexpr quern_detail::place_access access = Access;

    place(const quern_detail::place_reference<T, Access>& r)  // NOLINT: converts on purpose
        : place_(r.traced_place()), where_(r.traced_location()) {}
    place(const place&) = default;

    void operator=(quern_detail::operand<T> e) { store(e.value, e.where); }
    place& operator=(const place&) requires(false);

    quern_detail::node traced_node() const {
        quern_detail::check_readable<Access>();
        return quern_detail::record_load(place_, quern_detail::type_of<T>, nullptr);
    }
    quern_detail::place_handle traced_place() const { return place_; }
    const quern_detail::location& traced_location() const { return where_; }
    void store(quern_detail::node n, const quern_detail::location& where) const {
        quern_detail::check_writable<Access>();
        quern_detail::record_store(place_, n, where);
    }

private:
    quern_detail::place_handle place_;
    quern_detail::location where_;
};

template <class T, quern_detail::place_access Access>
place(const quern_detail::place_reference<T, Access>&) -> place<T, Access>;

}  // namespace quern
