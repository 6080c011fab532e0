// What the tests of passes share: the printed body after a pass, and what a kernel computes by the interpreter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/reference/interpreter.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/validator.hpp"
#include "jit/passes/remove_dead_code.hpp"

namespace quern::tests {

/// The printed body, without the header and the closing brace.
inline std::string body_of(const ir::module& m) {
    const std::string text = ir::print(m);
    const std::size_t start = text.find("\n\n") + 2;
    return text.substr(start, text.size() - start - 2);
}

/// What is left of the body after the passes and dead code; each leaves a valid kernel.
template <class... Pass>
std::string after_all(ir::module m, Pass... passes) {
    const auto run = [&](auto pass) {
        pass(m);
        ir::validate(m);
    };
    (run(passes), ..., run(jit::remove_dead_code));
    return body_of(m);
}

/// The u32 buffers y and x (parameters 0 and 1) have 16 elements, the value parameter a, if there is one, is 3: what y
/// holds after 16 invocations.
inline std::vector<std::uint32_t> run_on_interpreter(const ir::module& kernel) {
    std::vector<std::uint32_t> y(16), x(16);
    for (std::uint32_t i = 0; i < 16; ++i) y[i] = i % 5, x[i] = i < 8 ? i : 0x8000'0000u + i;
    const std::uint32_t a = 3;
    std::vector<std::span<std::byte>> buffers{std::as_writable_bytes(std::span(y))};
    if (kernel.parameters.size() > 1 && kernel.parameters[1].kind == ir::parameter_kind::buffer)
        buffers.push_back(std::as_writable_bytes(std::span(x)));
    reference::run_arguments arguments;
    arguments.buffers = buffers;
    if (kernel.parameters.back().kind == ir::parameter_kind::value) arguments.values = std::as_bytes(std::span(&a, 1));
    arguments.extent = {16, 1, 1};
    reference::interpret(kernel, arguments);
    return y;
}

}  // namespace quern::tests
