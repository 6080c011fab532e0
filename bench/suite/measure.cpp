#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>

#include "stopwatch.hpp"

namespace bench {
namespace {

double median(std::vector<double> v) {
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return *middle;
}

double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> ratios(a.size());
    std::transform(a.begin(), a.end(), b.begin(), ratios.begin(), [](double x, double y) { return x / y; });
    return median(ratios);
}

/// Who takes part, in the order in which they take turns.
struct contestant {
    const char* name;  ///< the prefix of its counter
    std::function<void()> start, finish;
    std::vector<double> ms{};
};

/// Makes it run once on spoilt memory. Empty if the result is right and agrees with `other`, if there is one.
std::string check(contest& c, const contestant& who, const std::vector<double>& expected,
                  std::optional<std::vector<double>>& other) {
    c.reset();
    who.start();
    who.finish();
    const std::vector<float> results = c.results();
    std::string mistake = find_mistake(results, expected, c.allowed());
    if (mistake.empty() && other) mistake = find_mistake(results, *other, c.allowed());
    if (!other) other.emplace(results.begin(), results.end());
    return mistake.empty() ? mistake : fmt::format("{}: {}", who.name, mistake);
}

void run_row(benchmark::State& state, const row& r, const suite_options& options, const compile_time& compiled) {
    const std::unique_ptr<contest> c = r.make();
    crew one(1), two(2);
    const quern::device devices[] = {quern::device::cpu({.threads = 0}), quern::device::cpu({.threads = 2})};
    const auto loop = [&](const char* name, const loops* l, crew& threads) {
        return contestant{name, [&c, l, &threads] { c->run(*l, threads); }, [] {}};
    };
    const auto kernel = [&](const char* name, const quern::device& d) {
        return contestant{name, [&] { c->run(d); }, [&] { d.synchronize(); }};
    };
    const std::string hand_1 = "hand_1", quern_1 = "quern_1", hand_2 = "hand_2", quern_2 = "quern_2";
    std::vector<contestant> all;
    if (by_hand() != nullptr) {
        all.push_back(loop("hand_1", by_hand(), one));
        all.push_back(loop("hand_2", by_hand(), two));
        if (options.with_plain) all.push_back(loop("plain_1", plain(), one));
    }
    all.push_back(kernel("quern_1", devices[0]));
    all.push_back(kernel("quern_2", devices[1]));
    const auto attach = [&](const contestant& who) {
        if (who.name == quern_1) c->attach(devices[0]);
        if (who.name == quern_2) c->attach(devices[1]);
    };

    try {
        const std::vector<double> expected = c->expected();
        std::optional<std::vector<double>> first_results;
        for (const contestant& who : all) {
            attach(who);
            const std::string mistake = check(*c, who, expected, first_results);
            if (!mistake.empty()) return state.SkipWithError(mistake.c_str());
        }
        for (auto _ : state)
            for (contestant& who : all) {
                attach(who);
                c->reset();
                const std::size_t runs = who.name == std::string("plain_1") ? 1 : c->runs();
                const stopwatch watch;
                for (std::size_t i = 0; i < runs; ++i) who.start();
                who.finish();
                who.ms.push_back(1e3 * watch.seconds() / static_cast<double>(runs));
            }
    } catch (const std::exception& e) {
        return state.SkipWithError(e.what());
    }

    const auto ms_of = [&](const std::string& name) -> const std::vector<double>& {
        return std::find_if(all.begin(), all.end(), [&](const contestant& who) { return who.name == name; })->ms;
    };
    for (const contestant& who : all) state.counters[fmt::format("{}_ms", who.name)] = median(who.ms);
    if (by_hand() != nullptr) {
        state.counters["ratio_1"] = median_ratio(ms_of(hand_1), ms_of(quern_1));
        state.counters["ratio_2"] = median_ratio(ms_of(hand_2), ms_of(quern_2));
        if (options.with_plain) state.counters["over_plain"] = median_ratio(ms_of("plain_1"), ms_of(quern_1));
    }
    state.counters["over_one_thread"] = median_ratio(ms_of(quern_1), ms_of(quern_2));
    state.counters[r.counted_in == unit::bytes ? "gb_s" : "gflop_s"] = 1e-6 * c->work() / median(ms_of(quern_1));
    state.counters["first_compile_ms"] = compiled.first_ms;
    state.counters["later_compile_ms"] = compiled.later_ms;
}

}  // namespace

void register_suite(const suite_options& options, const char* filter) {
    const std::regex selected(filter);
    for (const row& r : rows()) {
        const std::string name = "suite/" + r.name;
        const compile_time compiled = std::regex_search(name, selected) ? measure_compile_time(r.prepare) : compile_time{};
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { run_row(state, r, options, compiled); })
            ->Iterations(static_cast<benchmark::IterationCount>(options.rounds))
            ->Unit(benchmark::kMillisecond);
    }
}

}  // namespace bench
