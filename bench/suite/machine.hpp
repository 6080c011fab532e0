// What this machine can do at best, measured in the same run as the rows, so that they can be judged by it.
#pragma once

namespace bench {

struct machine {
    double copy_gb_s = 0;           ///< bytes read and written by memcpy on huge pages, far beyond the caches
    double device_copy_gb_s = 0;    ///< the same between two buffers that the CPU device made
    double multiply_add_gflop_s = 0;  ///< fused multiply-adds from registers; 0 where the loops by hand are absent
};

/// The best of several attempts, on so many threads.
machine measure_machine(unsigned threads);

}  // namespace bench
