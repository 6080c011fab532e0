// Kernel parameters: in, out and inout are buffers, val<T> a value by value; aliased says that a written buffer may
// equal another argument element for element.
#pragma once

#include <quern/detail/parameter_desc.hpp>
#include <quern/place.hpp>

namespace quern {

namespace quern_detail {

/// A buffer parameter of the trace in progress.
template <class T, place_access Access>
class buffer_parameter {
    static_assert(is_described<T>, "quern: a buffer needs an element type that the language knows: bool, an integer, "
                                   "half, bfloat16, float, double, a vec, std::array, an enum, a struct with QUERN_STRUCT");

public:
    using element_type = T;

    explicit buffer_parameter(std::uint32_t number) : number_(number) {}

    /// Element i; out of range is undefined (checked mode reports it).
    place_reference<T, Access> operator[](index i) const {
        const place_handle root = record_parameter_place(number_, type_of<T>);
        return place_reference<T, Access>(record_element(root, i.value, type_of<T>, i.where), i.where);
    }
    /// Number of elements. A launch with more than 2^32 - 1 is a usage_error unless the kernel uses size64().
    val<uint> size() const { return val<uint>::from_node(record_buffer_size(number_, type_of<uint>)); }
    val<std::uint64_t> size64() const {
        return val<std::uint64_t>::from_node(record_buffer_size(number_, type_of<std::uint64_t>));
    }

private:
    std::uint32_t number_;
};

}  // namespace quern_detail

/// A buffer that the kernel only reads.
template <class T>
struct in : quern_detail::buffer_parameter<T, quern_detail::place_access::read> {
    using quern_detail::buffer_parameter<T, quern_detail::place_access::read>::buffer_parameter;
};
/// A buffer that the kernel only writes; elements that it does not write keep their value.
template <class T>
struct out : quern_detail::buffer_parameter<T, quern_detail::place_access::write> {
    using quern_detail::buffer_parameter<T, quern_detail::place_access::write>::buffer_parameter;
};
/// A buffer that the kernel reads and writes.
template <class T>
struct inout : quern_detail::buffer_parameter<T, quern_detail::place_access::read_write> {
    using quern_detail::buffer_parameter<T, quern_detail::place_access::read_write>::buffer_parameter;
};
/// `aliased<out<float>> c`: c may be the same buffer as another argument, element for element.
template <class Buffer>
struct aliased : Buffer {
    using Buffer::Buffer;
};

namespace quern_detail {

template <class P, class T, parameter_access Access, bool Aliased>
struct buffer_parameter_traits {
    using element = T;
    static constexpr parameter_desc description{parameter_kind::buffer, Access, Aliased, &described<T>::value};
    static P make(std::uint32_t number) {
        check_layout<T>();
        return P(number);
    }
};

template <class T>
struct parameter_traits<in<T>> : buffer_parameter_traits<in<T>, T, parameter_access::read, false> {};
template <class T>
struct parameter_traits<out<T>> : buffer_parameter_traits<out<T>, T, parameter_access::write, false> {};
template <class T>
struct parameter_traits<inout<T>> : buffer_parameter_traits<inout<T>, T, parameter_access::read_write, false> {};
template <class T>
struct parameter_traits<aliased<in<T>>> : buffer_parameter_traits<aliased<in<T>>, T, parameter_access::read, true> {};
template <class T>
struct parameter_traits<aliased<out<T>>> : buffer_parameter_traits<aliased<out<T>>, T, parameter_access::write, true> {};
template <class T>
struct parameter_traits<aliased<inout<T>>>
    : buffer_parameter_traits<aliased<inout<T>>, T, parameter_access::read_write, true> {};

template <class T>
struct parameter_traits<val<T>> {
    using host_type = T;
    static constexpr parameter_desc description{parameter_kind::value, parameter_access::read, false,
                                                &described<T>::value};
    static val<T> make(std::uint32_t number) {
        check_layout<T>();
        return val<T>::from_node(record_parameter(number, type_of<T>));
    }
};

}  // namespace quern_detail

}  // namespace quern
