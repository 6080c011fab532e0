// Runs the benchmarks that the other files of this folder register, and the suite of suite/.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "suite/measure.hpp"
#include "suite/table.hpp"

namespace {

constexpr const char* usage =
    "The suite's own options, beside Google Benchmark's:\n"
    "          [--rounds=<n>]                 how often contestants take turns (11); medians are printed\n"
    "          [--quick]                      three rounds, without the scalar forms\n"
    "Rows are chosen with --benchmark_filter='suite/nbody|suite/blur'.\n";

/// The text behind `name` if the argument is that option, else null.
const char* value_of(const char* argument, const char* name) {
    const std::size_t length = std::strlen(name);
    return std::strncmp(argument, name, length) == 0 ? argument + length : nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    bench::suite_options options;
    const char* filter = "";
    int kept = 1;
    for (int i = 1; i < argc; ++i) {
        if (const char* v = value_of(argv[i], "--rounds=")) options.rounds = std::strtoul(v, nullptr, 10);
        else if (std::strcmp(argv[i], "--quick") == 0) options = {.rounds = 3, .with_plain = false};
        else argv[kept++] = argv[i];
        if (const char* v = value_of(argv[i], "--benchmark_filter=")) filter = v;
        if (std::strcmp(argv[i], "--help") == 0) std::fputs(usage, stdout);
    }
    argc = kept;
    if (options.rounds == 0) return std::fputs("--rounds takes a number above 0\n", stderr), 1;
    bench::register_suite(options, filter);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    bench::table_reporter table;
    benchmark::RunSpecifiedBenchmarks(&table);
    benchmark::Shutdown();
    return table.failed() ? 1 : 0;
}
