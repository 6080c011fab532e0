// What compiling a row's kernels costs, first thing in a process and again.
#pragma once

#include <quern/quern.hpp>

namespace bench {

struct compile_time {
    double first_ms = 0;  ///< includes loading the compiler
    double later_ms = 0;
};

/// In a process of its own, forked before anything of Quern has run in this one; zeros where that is not possible.
compile_time measure_compile_time(void (*prepare)(const quern::device&));

}  // namespace bench
