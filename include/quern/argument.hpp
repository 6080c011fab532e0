// Launch arguments: what a kernel's parameter accepts from the host.
#pragma once

#include <quern/buffer.hpp>
#include <quern/detail/host_number.hpp>
#include <quern/detail/parameter_desc.hpp>
#include <quern/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace quern::quern_detail {

/// A host integer that its parameter's type cannot hold.
struct misfit {
    long long value = 0;
    bool is_unsigned = false;
    const char* type_name = nullptr;  ///< null: the argument fits
};

/// One argument with its type erased, valid during the launch call: a range of a buffer, or a value's bytes.
struct argument_ref {
    buffer_range buffer;
    const void* value = nullptr;
    const misfit* unfit = nullptr;  ///< reported by the launch, which knows the kernel
};

template <class T>
constexpr const char* host_type_name() {
    if constexpr (std::is_same_v<T, half>) return "half";
    else if constexpr (std::is_same_v<T, bfloat16>) return "bfloat16";
    else if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "float" : "double";
    else {
        constexpr const char* names[2][4] = {{"signed char", "short", "int", "long long"},
                                             {"unsigned char", "unsigned short", "unsigned int", "unsigned long long"}};
        return names[std::is_unsigned_v<T>][sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3];
    }
}

template <class H, class T>
concept literal_for = is_host_number<H> && is_host_number<T> && !std::is_same_v<H, T> && !std::is_same_v<H, bool> &&
                      !std::is_same_v<T, bool> && (std::is_integral_v<H> || is_host_float<T>);

/// Argument of a val<T>: a T, or a host number by the literal rule. Floats are rounded once, integers must be
/// representable (a usage_error of the launch), floats never become integers. Making one never throws, for try_launch.
template <class T>
class value_argument {
public:
    constexpr value_argument(const T& value) noexcept
        requires(!is_host_number<T>)
        : value_(value) {}
    template <class H>
        requires(is_host_number<T> && std::is_same_v<H, T>)
    constexpr value_argument(H value) noexcept : value_(value) {}
    template <class H>
        requires literal_for<H, T>
    constexpr value_argument(H value) noexcept : value_(static_cast<T>(value)) {
        if constexpr (std::is_integral_v<H>)
            if (!is_representable<T>(value))
                misfit_ = {static_cast<long long>(value), std::is_unsigned_v<H>, host_type_name<T>()};
    }
    /// `{1.f, 2.f, 3.f}` for a vector or a struct.
    template <class First, class Second, class... Rest>
        requires requires(First a, Second b, Rest... rest) { T{a, b, rest...}; }
    constexpr value_argument(First first, Second second, Rest... rest) noexcept : value_{first, second, rest...} {}

    argument_ref ref() const noexcept { return {{}, &value_, misfit_.type_name ? &misfit_ : nullptr}; }

private:
    T value_;
    misfit misfit_;
};

/// Argument of in<T>, out<T>, inout<T>: a buffer<T>.
template <class T>
class buffer_argument {
public:
    buffer_argument(const buffer<T>& b) noexcept : range_(buffer_access::range(b)) {}
    argument_ref ref() const noexcept { return {range_}; }

private:
    buffer_range range_;
};

template <class P>
struct argument_type;
template <class P>
    requires requires { typename parameter_traits<P>::element; }
struct argument_type<P> { using type = buffer_argument<typename parameter_traits<P>::element>; };
template <class P>
    requires requires { typename parameter_traits<P>::host_type; }
struct argument_type<P> { using type = value_argument<typename parameter_traits<P>::host_type>; };

/// What a launch accepts for a parameter of type P. Never deduced: P comes from the kernel alone.
template <class P>
using argument_for = typename argument_type<P>::type;

/// Queues one launch; compiles or loads first when this is the kernel's first launch of the kind on the device.
void launch(queue_state* q, kernel_state* k, const launch_shape& shape, const argument_ref* arguments,
            std::size_t count);
/// The same on the device's own queue.
void launch(device_state* d, kernel_state* k, const launch_shape& shape, const argument_ref* arguments,
            std::size_t count);

/// Calls one of these overloads with the arguments as an array.
template <class Where, class... Arguments>
void launch_with(Where* where, kernel_state* k, const launch_shape& shape, const Arguments&... arguments) {
    const argument_ref refs[sizeof...(Arguments) + 1] = {arguments.ref()..., {}};
    launch(where, k, shape, refs, sizeof...(Arguments));
}

}  // namespace quern::quern_detail
