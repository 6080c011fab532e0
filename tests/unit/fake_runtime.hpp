// A runtime over fake backends, and kernels that are nothing but a signature.
#pragma once

#include <quern/runtime.hpp>

#include <optional>
#include <string>
#include <vector>

#include "dsl/ir/builder.hpp"
#include "jit/runtime/kernel_state.hpp"
#include "jit/runtime/launch.hpp"
#include "jit/runtime/queue_state.hpp"
#include "jit/runtime/runtime_state.hpp"
#include "tests/unit/fake_backend.hpp"

namespace quern::test {

struct fake_runtime {
    explicit fake_runtime(std::optional<std::vector<std::string>> devices = {}) {
        jit::settings s;
        s.devices = std::move(devices);
        s.options.cache = cache_mode::off;
        state = quern_detail::handle(new quern_detail::runtime_state(std::move(s), backends));
    }
    device find(std::string_view id) { return state->find(id); }

    fake_backend first{"first"};
    fake_backend second{"second"};
    backends::backend* const backends[2] = {&first, &second};
    quern_detail::handle<quern_detail::runtime_state> state;
};

inline ir::parameter buffer_parameter(ir::module& m, ir::access access, bool aliased = false,
                                      ir::scalar_kind kind = ir::scalar_kind::f32) {
    return {ir::parameter_kind::buffer, access, aliased, ir::intern_scalar(m, kind)};
}

inline ir::parameter value_parameter(ir::module& m, ir::scalar_kind kind) {
    return {ir::parameter_kind::value, ir::access::read, false, ir::intern_scalar(m, kind)};
}

/// An empty body under the name "fake"; the test adds parameters and facts.
inline ir::module empty_kernel(ir::launch_kind launch = ir::launch_kind::over) {
    ir::module m;
    m.name = "fake";
    m.launch = launch;
    ir::builder b(m);
    b.begin_block();
    m.body = b.end_block();
    return m;
}

inline quern_detail::handle<quern_detail::kernel_state> make_kernel(ir::module m) {
    return quern_detail::handle(new quern_detail::kernel_state(std::move(m)));
}

template <class T>
quern_detail::argument_ref argument(const buffer<T>& b) {
    return {quern_detail::buffer_access::range(b), nullptr};
}

inline void launch(const device& d, const quern_detail::handle<quern_detail::kernel_state>& k, const launch_shape& shape,
                   const std::vector<quern_detail::argument_ref>& arguments = {}) {
    jit::launch(d.state()->own_queue(), *k, shape, arguments);
}

/// what() of the Error that f throws; fails the test if it throws none.
template <class Error, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

}  // namespace quern::test
