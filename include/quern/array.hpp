// Arrays inside a kernel: local_array<T> belongs to one invocation, shared<T> to its workgroup. Sized while tracing,
// undefined at the start.
#pragma once

#include <quern/place.hpp>

namespace quern {

namespace quern_detail {

/// t[r] of an array with more extents, or an element: which one it is, is known while tracing.
template <class T>
class array_reference : public place_reference<T, place_access::read_write> {
    using base = place_reference<T, place_access::read_write>;

public:
    using base::base;
    using base::operator=;
    array_reference& operator=(const array_reference&) requires(false);

    array_reference operator[](index i) const {
        return array_reference(record_element(this->traced_place(), i.value, type_of<T>, i.where), i.where);
    }
};

struct extents {
    std::size_t of[3];
    std::size_t rank;
};

/// What local_array and shared have in common.
template <class T>
class traced_array {
    static_assert(is_described<T>, "quern: an array needs an element type that the language knows: bool, an integer, "
                                   "half, bfloat16, float, double, a vec, std::array, an enum, a struct with QUERN_STRUCT");

public:
    using element_type = T;

    traced_array(const traced_array&) = delete;
    traced_array& operator=(const traced_array&) = delete;

    /// Element i, or row i where there are more extents; out of range is undefined.
    array_reference<T> operator[](index i) const {
        return array_reference<T>(record_element(place_, i.value, type_of<T>, i.where), i.where);
    }
    /// Number of elements over all extents, known while tracing.
    std::size_t size() const { return size_; }

protected:
    traced_array(bool is_shared, const extents& e, const location& where)
        : place_(record_array(type_of<T>, is_shared, e.of, e.rank, where)) {
        for (std::size_t i = 0; i < e.rank; ++i) size_ *= e.of[i];
    }

private:
    place_handle place_;
    std::size_t size_ = 1;
};

}  // namespace quern_detail

/// `local_array<float> a(9);` or `(rows, columns)`: storage of one invocation. usage_error for an extent of 0.
template <class T>
class local_array : public quern_detail::traced_array<T> {
public:
    explicit local_array(std::size_t n, quern_detail::location where = quern_detail::location::current())
        : local_array(quern_detail::extents{{n}, 1}, where) {}
    local_array(std::size_t rows, std::size_t columns, quern_detail::location where = quern_detail::location::current())
        : local_array(quern_detail::extents{{rows, columns}, 2}, where) {}
    local_array(std::size_t layers, std::size_t rows, std::size_t columns,
                 quern_detail::location where = quern_detail::location::current())
        : local_array(quern_detail::extents{{layers, rows, columns}, 3}, where) {}

private:
    local_array(const quern_detail::extents& e, const quern_detail::location& where)
        : quern_detail::traced_array<T>(false, e, where) {}
};

/// `shared<float> tile(256);` or `(rows, columns)`: storage of one workgroup, ordered by barrier(). usage_error for an extent
/// of 0 and for more than the device has.
template <class T>
class shared : public quern_detail::traced_array<T> {
public:
    explicit shared(std::size_t n, quern_detail::location where = quern_detail::location::current())
        : shared(quern_detail::extents{{n}, 1}, where) {}
    shared(std::size_t rows, std::size_t columns, quern_detail::location where = quern_detail::location::current())
        : shared(quern_detail::extents{{rows, columns}, 2}, where) {}
    shared(std::size_t layers, std::size_t rows, std::size_t columns,
            quern_detail::location where = quern_detail::location::current())
        : shared(quern_detail::extents{{layers, rows, columns}, 3}, where) {}

private:
    shared(const quern_detail::extents& e, const quern_detail::location& where)
        : quern_detail::traced_array<T>(true, e, where) {}
};

}  // namespace quern
