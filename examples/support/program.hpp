// What the examples share: arguments, a clock, comparing with plain C++, and the one line that each of them prints.
// It holds nothing of Quern that an example is about.
#pragma once

#include <quern/quern.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace examples {

/// What an example reports. Without a mistake it has passed.
struct outcome {
    std::string sizes;       ///< "16777216 elements"
    double time_ms = 0;      ///< of the launches, without compilation
    std::string checked;     ///< what the result was checked against
    std::string mistake{};   ///< how it differs; empty if it does not
};

/// The arguments that all examples take (--device, --print-ir, --help), those of one of them, and its run.
class program {
public:
    program(const std::string& name, const std::string& what_it_shows);
    ~program();
    program(const program&) = delete;
    program& operator=(const program&) = delete;

    /// `--size N`: what `value` holds is the default. `name` without dashes is a positional argument.
    program& option(const std::string& name, std::size_t& value, const std::string& help);
    program& option(const std::string& name, std::string& value, const std::string& help);

    /// Parses, runs `example` on the chosen device and prints the line. The result is the exit code: 0 passed,
    /// 1 failed, 2 wrong arguments. With --print-ir it prints the kernel's IR for that device instead.
    template <class Kernel, class Example>
    int run(int argc, char** argv, const Kernel& kernel, const Example& example) {
        return run_erased(argc, argv, [&](const quern::device& d) { return kernel.inspect(d).ir; }, example);
    }

private:
    int run_erased(int argc, char** argv, const std::function<std::string(const quern::device&)>& print_ir,
                   const std::function<outcome(const quern::device&)>& example);

    struct state;
    std::unique_ptr<state> state_;
};

/// Milliseconds since it was made.
class stopwatch {
public:
    double ms() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string describe_difference(std::size_t wrong, std::size_t count, std::size_t first, double got, double expected);

/// Empty if every element is within `tolerance` of the expected one; otherwise how many are not, and the first.
template <class Results, class Expected>
std::string find_difference(const Results& results, const Expected& expected, double tolerance = 0) {
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        const double distance = std::abs(static_cast<double>(results[i]) - static_cast<double>(expected[i]));
        if (!(distance <= tolerance) && wrong++ == 0) first = i;
    }
    if (wrong == 0) return {};
    return describe_difference(wrong, std::size(expected), first, static_cast<double>(results[first]),
                               static_cast<double>(expected[first]));
}

}  // namespace examples
