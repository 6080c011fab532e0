#include "table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <string>

#include "contest.hpp"
#include "machine.hpp"

namespace bench {
namespace {

const std::string prefix = "suite/";

double geometric_mean(const std::vector<double>& v) {
    return std::exp(std::accumulate(v.begin(), v.end(), 0., [](double sum, double x) { return sum + std::log(x); }) /
                    static_cast<double>(v.size()));
}

}  // namespace

void table_reporter::print_head() {
    has_head_ = true;
    fmt::print("\nThis machine, {}:\n", quern::device::cpu().name());
    for (const unsigned threads : {1u, 2u}) {
        const machine m = measure_machine(threads);
        fmt::print("{} thread{}: copy {:.1f} GB/s (between device buffers {:.1f})", threads, threads == 1 ? "  " : "s ",
                   m.copy_gb_s, m.device_copy_gb_s);
        if (m.multiply_add_gflop_s > 0) fmt::print(", fused multiply-adds {:.1f} GFLOP/s", m.multiply_add_gflop_s);
        fmt::print("\n");
    }
    if (why_no_loops() != nullptr) fmt::print("The loops by hand are left out: {}.\n", why_no_loops());
    fmt::print("\nMilliseconds a run (medians), and how many times as fast Quern is.\n"
               "{:<29}|{:^28}|{:^34}|{:^14}|{:^18}|{:^15}\n"
               "{:<29}|{:>9}{:>9}{:>10}|{:>9}{:>9}{:>8}{:>8}|{:>8}{:>6}|{:>18}|{:>7}{:>8}\n",
               "", "1 thread", "2 threads", "scalar form", "Quern reaches", "compile, ms",
               "", "by hand", "Quern", "ratio ", "by hand", "Quern", "ratio", "over 1 ", "ms", "x ", "1 thread ", "first", "later");
}

void table_reporter::print_row(const Run& run) {
    const auto value = [&](const char* name, int width, int digits) {
        const auto found = run.counters.find(name);
        return found == run.counters.end() ? fmt::format("{:>{}}", "-", width)
                                           : fmt::format("{:>{}.{}f}", found->second.value, width, digits);
    };
    const auto ms = [&](const char* name, int width) {
        const auto found = run.counters.find(name);
        return value(name, width, found != run.counters.end() && found->second.value < 1 ? 4 : 2);
    };
    const bool is_bytes = run.counters.count("gb_s") != 0;
    fmt::print("{:<29}|{}{}{} |{}{}{}{} |{}{}|{} {:<7}|{}{}\n", run.run_name.function_name.substr(prefix.size()),
               ms("hand_1_ms", 9), ms("quern_1_ms", 9), value("ratio_1", 9, 2), ms("hand_2_ms", 9), ms("quern_2_ms", 9),
               value("ratio_2", 8, 2), value("over_one_thread", 7, 2), ms("plain_1_ms", 8), value("over_plain", 6, 1),
               value(is_bytes ? "gb_s" : "gflop_s", 10, 1), is_bytes ? "GB/s" : "GFLOP/s",
               value("first_compile_ms", 7, 1), value("later_compile_ms", 8, 1));
    for (int i = 0; i < 2; ++i)
        if (const auto found = run.counters.find(i == 0 ? "ratio_1" : "ratio_2"); found != run.counters.end())
            ratios_[i].push_back(found->second.value);
}

void table_reporter::ReportRuns(const std::vector<Run>& runs) {
    for (const Run& run : runs) {
        failed_ |= run.error_occurred;
        const bool in_suite = run.run_name.function_name.starts_with(prefix);
        if (!in_suite || run.error_occurred) {
            ConsoleReporter::ReportRuns({run});
            continue;
        }
        if (!has_head_) print_head();
        print_row(run);
        std::fflush(stdout);
    }
}

void table_reporter::Finalize() {
    if (!ratios_[0].empty())
        fmt::print("{:<29}|{:>27.2f} |{:>26.2f}        |\n", "geometric mean", geometric_mean(ratios_[0]),
                   geometric_mean(ratios_[1]));
    ConsoleReporter::Finalize();
}

}  // namespace bench
