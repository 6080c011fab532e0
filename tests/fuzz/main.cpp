// quern-fuzz: random kernels on every device and lane width against the reference; failing ones are shrunk and saved.
#include <fmt/format.h>
#include <poll.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <list>
#include <quern/error.hpp>
#include <thread>

#include "tests/fuzz/experiment.hpp"
#include "tests/fuzz/generator.hpp"
#include "tests/fuzz/isolate.hpp"
#include "tests/fuzz/shrinker.hpp"
#include "tests/fuzz/statistics.hpp"

namespace {

using namespace quern::fuzz;
using steady = std::chrono::steady_clock;

struct settings {
    std::uint64_t seed = 1;
    std::uint64_t count = 1000;
    experiment_options experiment;
    std::string save;
    std::vector<std::string> replay;
    bool count_cells = false;
    bool print_kernel = false;
    unsigned time_limit_s = 0;
    unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
    unsigned failures = 10;
    unsigned kernel_limit_s = 60;
};

struct failed_seed {
    std::uint64_t seed;
    std::string how;
};

std::string describe(const std::optional<failure>& f) { return f ? f->step + ": " + f->message : std::string(); }

/// The kind of failure that a shrunk trial must keep: the step without its numbers, or the signal.
std::string kind_of(const isolated& outcome) {
    const std::string text = outcome.finished ? outcome.text.substr(0, outcome.text.find(':')) : "died: " + outcome.text;
    return text.substr(0, text.find(" at "));
}

isolated run_alone(const trial& t, const settings& s, const experiment_options& how) {
    return run_isolated(s.kernel_limit_s, [&] { return describe(experiment(how).run(t)); });
}

/// Fewer widths fail faster: those that show the failure alone.
experiment_options narrowed(const trial& t, const settings& s, const std::string& kind) {
    for (const std::uint32_t lanes : s.experiment.lanes) {
        experiment_options one = s.experiment;
        one.lanes = {lanes};
        if (kind_of(run_alone(t, s, one)) == kind) return one;
    }
    return s.experiment;
}

/// Runs seeds first, first + stride, … below last in children, one after another if they die; reports through `say`.
void run_seeds(std::uint64_t first, std::uint64_t last, std::uint64_t stride, const settings& s,
               steady::time_point end, const worker::say& say) {
    experiment e(s.experiment);
    statistics counts;
    for (std::uint64_t seed = first; seed < last && steady::now() < end; seed += stride) {
        say(fmt::format("start {}", seed));
        limit_time(s.kernel_limit_s);
        const trial t = generate(seed);
        if (s.count_cells) counts.count(t);
        std::string text = describe(e.run(t));
        std::ranges::replace(text, '\n', ' ');
        if (!text.empty()) say(fmt::format("fail {} {}", seed, text));
        say(fmt::format("done {}", seed));
    }
    if (s.count_cells) say("cells " + counts.serialise(enumerate_cells(default_kinds())));
}

struct campaign {
    std::uint64_t kernels = 0;
    std::vector<failed_seed> failures;
    statistics counts;
};

campaign run_campaign(const settings& s) {
    const auto end = s.time_limit_s == 0 ? steady::time_point::max() : steady::now() + std::chrono::seconds(s.time_limit_s);
    const std::uint64_t last = s.seed + s.count;
    const auto cells = enumerate_cells(default_kinds());
    struct job {
        worker child;
        std::uint64_t running = 0;
    };
    std::list<job> jobs;
    bool stopping = false;
    campaign result;
    const auto start = [&](std::uint64_t first) {
        jobs.push_back({worker([&](const worker::say& say) { run_seeds(first, last, s.jobs, s, end, say); }), first});
    };
    for (std::uint64_t j = 0; j < s.jobs && j < s.count; ++j) start(s.seed + j);

    auto told = steady::now();
    while (!jobs.empty()) {
        std::vector<pollfd> waiting;
        for (const job& j : jobs) waiting.push_back({j.child.descriptor(), POLLIN, 0});
        ::poll(waiting.data(), waiting.size(), 1000);
        auto next = jobs.begin();
        for (const pollfd& p : waiting) {
            const auto at_job = next++;
            if (p.revents == 0) continue;
            job& j = *at_job;
            j.child.read_more();
            while (const auto line = j.child.next_line()) {
                const std::size_t space = line->find(' ');
                const std::string word = line->substr(0, space), rest = line->substr(space + 1);
                if (word == "start") j.running = std::stoull(rest);
                else if (word == "done") ++result.kernels;
                else if (word == "cells") result.counts.merge(statistics::parse(rest, cells));
                else result.failures.push_back({std::stoull(rest), rest.substr(rest.find(' ') + 1)});
            }
            if (!j.child.ended()) continue;
            const std::string how = j.child.how_it_ended();
            const std::uint64_t at = j.running;
            jobs.erase(at_job);
            if (how.empty() || stopping) continue;
            if (how.starts_with("exit")) throw quern::usage_error("a worker ended with " + how);
            result.failures.push_back({at, how});
            ++result.kernels;
            if (at + s.jobs < last && result.failures.size() < s.failures) start(at + s.jobs);
        }
        if (steady::now() - told > std::chrono::seconds(5)) {
            fmt::print(stderr, "{} kernels, {} failed\n", result.kernels, result.failures.size());
            told = steady::now();
        }
        if (result.failures.size() >= s.failures && !stopping) {
            stopping = true;
            fmt::print(stderr, "stopped at {} failures\n", result.failures.size());
            for (const job& j : jobs) j.child.stop();
        }
    }
    return result;
}

void shrink_and_save(const failed_seed& failed, const settings& s) {
    trial t = generate(failed.seed);
    const isolated before = run_alone(t, s, s.experiment);
    if (before.finished && before.text.empty()) {
        fmt::print("seed {}: passes when it runs alone\n", failed.seed);
        return;
    }
    const std::string kind = kind_of(before);
    const experiment_options how = narrowed(t, s, kind);
    t = shrink(std::move(t), [&](const trial& candidate) { return kind_of(run_alone(candidate, s, how)) == kind; });
    const isolated after = run_alone(t, s, how);
    std::string note = after.text;
    std::ranges::replace(note, '\n', ' ');
    t.note += ": " + note;
    const std::string path = fmt::format("{}/seed_{}.qir", s.save, failed.seed);
    save_trial(t, path);
    fmt::print("seed {}: shrunk to {}\n{}\n", failed.seed, path, to_text(t));
}

int replay(const settings& s) {
    int failed = 0;
    for (const std::string& path : s.replay) {
        const trial t = load_trial(path);
        const isolated outcome = run_alone(t, s, s.experiment);
        const bool passes = outcome.finished && outcome.text.empty();
        fmt::print("{}: {}\n", path, passes ? "passes" : outcome.text);
        failed += passes ? 0 : 1;
    }
    return failed == 0 ? 0 : 1;
}

int run(const settings& s) {
    if (!s.replay.empty()) return replay(s);
    if (s.print_kernel) {
        for (std::uint64_t i = 0; i < s.count; ++i) fmt::print("{}\n", to_text(generate(s.seed + i)));
        return 0;
    }
    const auto begin = steady::now();
    const campaign result = run_campaign(s);
    const double seconds = std::chrono::duration<double>(steady::now() - begin).count();
    fmt::print("{} kernels in {:.1f} s ({:.0f} a minute), {} failed\n", result.kernels, seconds,
               60.0 * static_cast<double>(result.kernels) / std::max(seconds, 1e-3), result.failures.size());
    if (s.count_cells) fmt::print("{}", result.counts.report(default_kinds()));
    for (const failed_seed& f : result.failures) {
        fmt::print("seed {}: {}\n", f.seed, f.how);
        if (!s.save.empty()) shrink_and_save(f, s);
    }
    return result.failures.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    settings s;
    CLI::App app{"Random kernels on every device and lane width against the reference interpreter"};
    app.add_option("--seed", s.seed, "first seed")->capture_default_str();
    app.add_option("--count", s.count, "number of kernels")->capture_default_str();
    app.add_option("--lanes", s.experiment.lanes, "lane widths")->delimiter(',')->capture_default_str();
    app.add_option("--vectors", s.experiment.vectors, "vectors in flight on the CPU, 0 for its own choice")->delimiter(',')->capture_default_str();
    app.add_option("--devices", s.experiment.devices, "devices besides the reference interpreter")->delimiter(',')->capture_default_str();
    app.add_option("--save", s.save, "folder for failing kernels, shrunk")->check(CLI::ExistingDirectory);
    app.add_option("--replay", s.replay, "saved kernels to run instead")->check(CLI::ExistingFile);
    app.add_flag("--statistics", s.count_cells, "count what the kernels look like and which cells they hit");
    app.add_flag("--print", s.print_kernel, "print the kernels instead of running them");
    app.add_option("--time-limit", s.time_limit_s, "stop after so many seconds")->capture_default_str();
    app.add_option("--jobs", s.jobs, "processes")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--failures", s.failures, "stop after so many failures")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--kernel-limit", s.kernel_limit_s, "seconds that one kernel may take")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    try {
        return run(s);
    } catch (const std::exception& e) {
        fmt::print(stderr, "quern-fuzz: {}\n", e.what());
        return 2;
    }
}
