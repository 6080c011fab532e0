// What tracing and the passes cost an operation, for kernels of 100, 10 000 and 100 000 operations in three shapes:
// a straight line, a wide tree, nested blocks. Linear growth shows as equal rows. The time of a row is the trace's.
#include <benchmark/benchmark.h>

#include <quern/quern.hpp>

#include <cstddef>
#include <vector>

using namespace quern;

namespace {

void straight_line(inout<float> y, std::size_t operations) {
    var v = y[0];
    for (std::size_t i = 0; i < operations / 2; ++i) v = v * 1.5f + static_cast<float>(i % 100);
    y[0] = v;
}

void wide_tree(inout<float> y, std::size_t operations) {
    std::vector<val<float>> row;
    for (std::size_t i = 0; i < operations / 2; ++i) row.emplace_back(y[i]);
    while (row.size() > 1) {
        std::vector<val<float>> sums;
        for (std::size_t i = 0; i + 1 < row.size(); i += 2) sums.emplace_back(row[i] + row[i + 1]);
        row.swap(sums);
    }
    y[0] = row[0];
}

void nested_blocks(inout<float> y, std::size_t operations) {
    for (std::size_t i = 0; i < operations / 8; ++i)
        for_(range(0, 4), [&](val<int> k) {
            if_(y[k] > 0.f, [&] { y[k] = static_cast<float>(i); }).else_([&] { y[k] += 1; });
        });
}

template <void (*Shape)(inout<float>, std::size_t)>
void trace_growth(benchmark::State& state) {
    const device reference = device::find("reference");
    const auto operations = static_cast<std::size_t>(state.range(0));
    double trace_ms = 0, passes_ms = 0;
    for (auto _ : state) {
        const kernel<void(inout<float>)> k{"growth", [=](inout<float> y) { Shape(y, operations); }};
        const inspection stages = k.inspect(reference);
        trace_ms += stages.trace_ms;
        passes_ms += stages.passes_ms;
        state.SetIterationTime(stages.trace_ms * 1e-3);
    }
    const double ns_per_operation = 1e6 / static_cast<double>(operations) / static_cast<double>(state.iterations());
    state.counters["trace_ns_per_operation"] = trace_ms * ns_per_operation;
    state.counters["passes_ns_per_operation"] = passes_ms * ns_per_operation;
}

}  // namespace

#define QUERN_GROWTH(shape)        \
    BENCHMARK(trace_growth<shape>) \
        ->Arg(100)->Arg(10'000)->Arg(100'000)->UseManualTime()->Unit(benchmark::kMillisecond)
QUERN_GROWTH(straight_line);
QUERN_GROWTH(wide_tree);
QUERN_GROWTH(nested_blocks);
