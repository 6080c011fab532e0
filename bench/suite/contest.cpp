#include "contest.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bench {

std::vector<row>& rows() {
    static std::vector<row> all;
    return all;
}

std::string find_mistake(std::span<const float> results, std::span<const double> expected, const tolerance& allowed) {
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double distance = std::abs(double(results[i]) - expected[i]);
        if (!(distance <= allowed.absolute + allowed.relative * std::abs(expected[i])) && wrong++ == 0) first = i;
    }
    if (double(wrong) <= allowed.exceptions * double(expected.size())) return {};
    return fmt::format("{} of {} results are wrong; number {} is {}, expected {}", wrong, expected.size(), first,
                       results[first], expected[first]);
}

#if QUERN_BENCH_LOOPS
const char* why_no_loops() {
#ifdef QUERN_BENCH_NEEDS
    if (!__builtin_cpu_supports(QUERN_BENCH_NEEDS)) return "they were built for " QUERN_BENCH_NEEDS ", which this processor lacks";
#endif
    return nullptr;
}
const loops* by_hand() { return why_no_loops() == nullptr ? &by_hand_loops : nullptr; }
const loops* plain() { return why_no_loops() == nullptr ? &plain_loops : nullptr; }
#else
const char* why_no_loops() { return "clang++-19, which compiles them, was not found when this was built"; }
const loops* by_hand() { return nullptr; }
const loops* plain() { return nullptr; }
#endif

}  // namespace bench
