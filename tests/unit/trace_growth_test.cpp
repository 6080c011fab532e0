// Tracing, the canonical form and validation take time in proportion to the kernel: straight lines, wide expressions,
// nested blocks and many variables.
#include <catch2/catch.hpp>

#include <algorithm>
#include <ctime>
#include <vector>

#include <quern/quern.hpp>

#include "tests/support/tracing.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

/// CPU seconds of this process for an operation, the best of three.
template <class F>
double seconds_for(std::size_t operations, const F& f) {
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
        const std::clock_t start = std::clock();
        f(operations);
        best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best / static_cast<double>(operations);
}

/// Ten times the operations may cost three times as much each before growth counts as more than linear: caches and
/// hash tables are slower when they are larger, a quadratic step costs ten times as much.
template <class F>
void check_growth(const F& f) {
    const double small = seconds_for(2'000, f);
    const double large = seconds_for(20'000, f);
    INFO(small * 1e9 << " ns an operation of 2 000, " << large * 1e9 << " ns of 20 000");
    CHECK(large < 3 * small);
}

}  // namespace

TEST_CASE("a chain of operations is traced in linear time") {
    check_growth([](std::size_t n) {
        module_of([=](inout<float> y) {
            var v = y[0];
            for (std::size_t i = 0; i < n / 2; ++i) v = v * 1.5f + y[i];
            y[0] = v;
        });
    });
}

TEST_CASE("a deep unevaluated expression is traced in linear time") {
    check_growth([](std::size_t n) {
        module_of([=](inout<float> y) {
            const float factor = 1.5f;
            quern_detail::node sum = val<float>(y[0]).traced_node();
            for (std::size_t i = 0; i < n; ++i) {
                auto e = val<float>::from_node(sum) * (factor + static_cast<float>(i % 7));
                sum = e.traced_node();
            }
            y[0] = val<float>::from_node(sum);
        });
    });
}

TEST_CASE("a wide expression is traced in linear time") {
    check_growth([](std::size_t n) {
        module_of([=](inout<float> y) {
            std::vector<val<float>> row;  // swapped, never assigned: a val does not change
            for (std::size_t i = 0; i < n / 2; ++i) row.emplace_back(y[i]);
            while (row.size() > 1) {
                std::vector<val<float>> sums;
                for (std::size_t i = 0; i + 1 < row.size(); i += 2) sums.emplace_back(row[i] + row[i + 1]);
                row.swap(sums);
            }
            y[0] = row[0];
        });
    });
}

TEST_CASE("many blocks are traced in linear time") {
    check_growth([](std::size_t n) {
        module_of([=](inout<float> y) {
            for (std::size_t i = 0; i < n / 8; ++i)
                for_(range(0, 4), [&](val<int> k) {
                    if_(y[k] > 0.f, [&] { y[k] = static_cast<float>(i); }).else_([&] { y[k] += 1; });
                });
        });
    });
}

TEST_CASE("many variables are traced in linear time") {
    check_growth([](std::size_t n) {
        module_of([=](inout<float> y) {
            for (std::size_t i = 0; i < n / 4; ++i) {
                var v = y[i];
                v += 1;
                y[i] = v;
            }
        });
    });
}
