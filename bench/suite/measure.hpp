// Runs a row: checks every contestant's result, then lets them take turns.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

#include "compile_time.hpp"
#include "contest.hpp"

namespace bench {

struct suite_options {
    std::size_t rounds = 11;
    bool with_plain = true;
};

/// Registers every row with Google Benchmark as "suite/NAME"; those that `filter` (its regular expression) selects are
/// compiled in processes of their own first. An iteration is a round; the counters are what table_reporter prints.
void register_suite(const suite_options& options, const char* filter);

}  // namespace bench
