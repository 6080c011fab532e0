// Kernels of tests: traced from a lambda without a device, and run by the reference interpreter.
#pragma once

#include <quern/kernel.hpp>
#include <quern/parameter.hpp>

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "backends/reference/interpreter.hpp"
#include "dsl/ir/canonical.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/trace/trace_kernel.hpp"

namespace quern::tests {

template <class Signature>
struct traced_signature;

template <class... P>
struct traced_signature<void(P...)> {
    static constexpr std::array<quern_detail::parameter_desc, sizeof...(P)> parameters{
        quern_detail::parameter_traits<P>::description...};

    template <class F>
    static trace::result trace(const F& f, const trace::request& r) {
        const quern_detail::typed_body<F, P...> body(f);
        return trace::trace_kernel(body, parameters, r);
    }
};

/// A device with everything, for kernels that do not care.
inline target_info any_target() {
    target_info t;
    t.name = "test";
    t.subgroup_size = 8;
    t.shared_memory_bytes = 65536;
    t.max_workgroup_size = 1024;
    t.features = ~0u;
    return t;
}

/// The whole outcome of tracing `f`, a lambda over kernel parameters.
template <class F>
trace::result trace_result(const F& f, const target_info& target = any_target(),
                           ir::launch_kind launch = ir::launch_kind::over,
                           std::span<const trace::tunable> choices = {}) {
    using signature = typename quern_detail::callable_signature<F>::type;
    trace::request r;
    r.target = &target;
    r.launch = launch;
    r.kernel_name = "tested";
    r.choices = choices;
    return traced_signature<signature>::trace(f, r);
}

template <class F>
ir::module module_of(const F& f) {
    return trace_result(f).module;
}

/// The kernel's statements as they are printed, one a line, without header and parameters.
template <class F>
std::string statements(const F& f) {
    const std::string text = ir::print(module_of(f));
    const std::size_t first = text.find("\n\n");
    std::string result;
    if (first == std::string::npos) return result;
    for (std::size_t at = first + 2; text[at] == ' ';) {
        const std::size_t end = text.find('\n', at) + 1;
        result += text.substr(at + 2, end - at - 2);
        at = end;
    }
    return result;
}

template <class F>
ir::hash128 hash_of(const F& f) {
    return ir::hash(module_of(f));
}

/// Runs a traced kernel over `extent` invocations. Buffers in the order of the parameters; `values` are the bytes of
/// the value parameters.
template <class... T>
void run(const ir::module& m, std::array<std::uint64_t, 3> extent, std::span<const std::byte> values,
         std::vector<T>&... buffers) {
    const std::vector<std::span<std::byte>> bytes{std::as_writable_bytes(std::span(buffers))...};
    reference::run_arguments a;
    a.buffers = bytes;
    a.values = values;
    a.extent = extent;
    reference::interpret(m, a);
}

/// Traces `f` and runs it over `n` invocations; no value parameters.
template <class F, class... T>
void run_over(std::uint64_t n, const F& f, std::vector<T>&... buffers) {
    run(module_of(f), {n, 1, 1}, {}, buffers...);
}

/// The same with one value parameter.
template <class F, class V, class... T>
void run_with(std::uint64_t n, const V& value, const F& f, std::vector<T>&... buffers) {
    run(module_of(f), {n, 1, 1}, std::as_bytes(std::span(&value, 1)), buffers...);
}

/// what() of the E that `f` throws, empty if it throws none.
template <class E, class F>
std::string message_of(const F& f) {
    try {
        f();
    } catch (const E& e) {
        return e.what();
    }
    return {};
}

}  // namespace quern::tests
