// A kernel: a name and a body. Owns its traces and compiled programs, so it is meant to live long.
#pragma once

#include <quern/artifact.hpp>
#include <quern/prepared.hpp>

#include <source_location>
#include <string_view>
#include <type_traits>

namespace quern {

namespace quern_detail {

/// The parameters of a callable, as void(P...) without references; `found` is false where they cannot be read off.
template <class F>
struct callable_signature {
    static_assert(!std::is_same_v<F, F>, "a kernel's body is a lambda, a function object with one call operator, or a "
                                         "function; for a generic one write kernel<void(inout<float>, …)>");
};
template <class R, class... P>
struct callable_signature<R (*)(P...)> { using type = void(std::remove_cvref_t<P>...); };
template <class R, class... P>
struct callable_signature<R (*)(P...) noexcept> { using type = void(std::remove_cvref_t<P>...); };
template <class R, class C, class... P>
struct callable_signature<R (C::*)(P...)> { using type = void(std::remove_cvref_t<P>...); };
template <class R, class C, class... P>
struct callable_signature<R (C::*)(P...) const> { using type = void(std::remove_cvref_t<P>...); };
template <class R, class C, class... P>
struct callable_signature<R (C::*)(P...) noexcept> { using type = void(std::remove_cvref_t<P>...); };
template <class R, class C, class... P>
struct callable_signature<R (C::*)(P...) const noexcept> { using type = void(std::remove_cvref_t<P>...); };
template <class F>
    requires requires { &F::operator(); }
struct callable_signature<F> : callable_signature<decltype(&F::operator())> {};

template <class P>
concept kernel_parameter = requires { parameter_traits<P>::description; };

/// The user's callable behind kernel_body's interface.
template <class F, class... P>
class typed_body final : public kernel_body {
public:
    explicit typed_body(const F& f) : f_(f) {}
    void run() const override { run_with(std::make_integer_sequence<std::uint32_t, sizeof...(P)>()); }

private:
    template <std::uint32_t... Number>
    void run_with(std::integer_sequence<std::uint32_t, Number...>) const {
        f_(parameter_traits<P>::make(Number)...);
    }
    F f_;
};

/// Takes over `body`. `parameters` must have static storage.
kernel_state* make_kernel(std::string_view name, const kernel_body* body, const parameter_desc* parameters,
                          std::size_t parameter_count, const char* file, unsigned line);
/// Compiles for every kind of launch that the kernel allows, or for the kind of `only`.
void prepare(kernel_state* k, device_state* d, const launch_shape* only);
inspection inspect(kernel_state* k, device_state* d, const launch_shape* only);
artifact compile_for(kernel_state* k, std::string_view target);

}  // namespace quern_detail

/// A shared handle. As a class member it is written kernel<void(inout<float>, val<float>)>; elsewhere the body's own
/// parameters are deduced:
///     kernel scale{"scale", [](inout<float> y, val<float> a) { val i = global_id(); y[i] = a * y[i]; }};
template <class... P>
class kernel<void(P...)> {
public:
    /// An empty handle; launching it is a usage_error.
    kernel() = default;

    /// The body is copied, and runs whenever a trace is needed: any number of times, one at a time.
    template <class F>
    kernel(std::string_view name, const F& body, std::source_location where = std::source_location::current()) {
        static_assert((quern_detail::kernel_parameter<P> && ...),
                      "parameters of a kernel are in<T>, out<T>, inout<T>, aliased<…> of these, or val<T>, by value");
        using callable = std::decay_t<F>;
        static_assert(std::is_invocable_v<const callable&, P...>,
                      "a kernel's body runs more than once: it must be callable when const, with these parameters");
        if constexpr (std::is_invocable_v<const callable&, P...>) {
            static_assert(std::is_void_v<std::invoke_result_t<const callable&, P...>>,
                          "a kernel's body returns nothing: write results to an out<T> or inout<T> parameter");
            static constexpr quern_detail::parameter_desc parameters[sizeof...(P) + 1] = {
                quern_detail::parameter_traits<P>::description..., {}};
            state_ = quern_detail::handle<quern_detail::kernel_state>(
                quern_detail::make_kernel(name, new quern_detail::typed_body<callable, P...>(body), parameters, sizeof...(P),
                                    where.file_name(), where.line()));
        }
    }

    /// Compiles or loads now, for every kind of launch that the kernel allows.
    prepared<void(P...)> prepare(const device& d) const {
        quern_detail::prepare(state_.get(), d.state(), nullptr);
        return {state_, quern_detail::handle<quern_detail::device_state>::share(d.state())};
    }
    /// The same for launches of this shape's kind only.
    prepared<void(P...)> prepare(const device& d, const launch_shape& shape) const {
        quern_detail::prepare(state_.get(), d.state(), &shape);
        return {state_, quern_detail::handle<quern_detail::device_state>::share(d.state())};
    }

    /// Every stage of compilation for the device as text, with timings; for `tiles` launches if the kernel calls
    /// covers(), else for `over`.
    inspection inspect(const device& d) const { return quern_detail::inspect(state_.get(), d.state(), nullptr); }
    inspection inspect(const device& d, const launch_shape& shape) const {
        return quern_detail::inspect(state_.get(), d.state(), &shape);
    }

    /// Compiles for a named target ("cpu:znver4") without a device; usage_error if no backend knows the target.
    artifact compile_for(std::string_view target) const { return quern_detail::compile_for(state_.get(), target); }

    quern_detail::kernel_state* state() const { return state_.get(); }

private:
    quern_detail::handle<quern_detail::kernel_state> state_;
};

template <class F>
kernel(std::string_view, const F&, std::source_location = {})
    -> kernel<typename quern_detail::callable_signature<std::decay_t<F>>::type>;
template <class F>
kernel(const char*, const F&, std::source_location = {})
    -> kernel<typename quern_detail::callable_signature<std::decay_t<F>>::type>;

}  // namespace quern
