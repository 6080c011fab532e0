// One float function as a kernel of its own, compiled once and run over many arguments: y[i] = f(a[i], b[i]).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsl/ir/module.hpp"
#include "dsl/ir/op.hpp"

namespace quern::tests {

/// Whether the argument differs from lane to lane.
enum class arguments : std::uint8_t { varying, uniform };

class function_runner {
public:
    /// Throws where the device is absent. `uniform` kernels compute one element and give it to all lanes.
    function_runner(ir::op code, ir::scalar_kind k, std::uint32_t lanes, ir::math_mode mode = ir::math_mode::precise,
                    arguments a = arguments::varying);
    ~function_runner();

    /// Results for operands that are given one after the other (`T` float or double, as the kind).
    template <class T>
    void run(std::span<const T> first, std::span<const T> second, std::span<const T> third, std::span<T> out) {
        run_bytes({std::as_bytes(first), std::as_bytes(second), std::as_bytes(third)}, std::as_writable_bytes(out), sizeof(T));
    }

private:
    void run_bytes(std::vector<std::span<const std::byte>> in, std::span<std::byte> out, std::size_t element);

    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace quern::tests
