// The table of the suite, one line a row, with the machine's limits above and the geometric means below. Other
// benchmarks are printed as Google Benchmark does.
#pragma once

#include <benchmark/benchmark.h>

#include <vector>

namespace bench {

class table_reporter final : public benchmark::ConsoleReporter {
public:
    table_reporter() : ConsoleReporter(OO_Defaults) {}

    void ReportRuns(const std::vector<Run>& runs) override;
    void Finalize() override;
    /// Whether any row had a wrong result or an error.
    bool failed() const { return failed_; }

private:
    void print_head();
    void print_row(const Run& run);

    std::vector<double> ratios_[2];
    bool has_head_ = false, failed_ = false;
};

}  // namespace bench
