// What one launch of a kernel that does nothing costs once it is compiled, and whether launches leave memory behind: on
// the calling thread, queued for a pool, and queued and waited for.
#include <benchmark/benchmark.h>

#include <quern/quern.hpp>

#include <cstdio>

using namespace quern;

namespace {

kernel empty_kernel{"empty", [](out<float>) {}};

/// Resident memory of this process in KiB; 0 where the system does not tell.
double resident_kib() {
    long pages = 0, resident = 0;
    if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
        std::fclose(f);
    }
    return static_cast<double>(resident) * 4;
}

enum class wait { after_each, at_the_end };

void launch_latency(benchmark::State& state, unsigned threads, wait when) {
    const device d = device::cpu({.threads = threads});
    const buffer<float> y = d.make_buffer<float>(1);
    const auto launch = [&] { d.launch(empty_kernel, over{1}, y); };
    for (int i = 0; i < 10'000; ++i) launch();
    d.synchronize();
    const double before = resident_kib();
    for (auto _ : state) {
        launch();
        if (when == wait::after_each) d.synchronize();
    }
    d.synchronize();
    state.counters["grown_KiB"] = resident_kib() - before;
}

}  // namespace

// A million launches each, so that a leak of a byte would show.
BENCHMARK_CAPTURE(launch_latency, inline, 0, wait::at_the_end)->Iterations(1'000'000);
BENCHMARK_CAPTURE(launch_latency, pooled_queued, 2, wait::at_the_end)->Iterations(1'000'000);
BENCHMARK_CAPTURE(launch_latency, pooled_waited_for, 2, wait::after_each)->Iterations(100'000)->UseRealTime();
