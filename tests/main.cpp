// The main program of all C++ tests: runs Catch2, counts test cases as passed, failed or skipped and closes with one
// line that says so. A test case that asserts nothing has failed.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/skip.hpp"

namespace {

struct tally {
    int passed = 0;
    int failed = 0;
    int skipped = 0;
    bool ran = false;
    std::string current;      ///< name of the running test case
    std::string skip_reason;  ///< of the running test case; empty: not skipped
};
tally counts;

struct final_check {
    std::string name;
    std::function<std::string()> run;
};
std::vector<final_check>& final_checks() {
    static std::vector<final_check> checks;
    return checks;
}

struct counting_listener : Catch::TestEventListenerBase {
    using TestEventListenerBase::TestEventListenerBase;

    void testRunStarting(const Catch::TestRunInfo& info) override {
        TestEventListenerBase::testRunStarting(info);
        counts.ran = true;
    }

    void testCaseStarting(const Catch::TestCaseInfo& info) override {
        TestEventListenerBase::testCaseStarting(info);
        counts.current = info.name;
        counts.skip_reason.clear();
    }

    void testCaseEnded(const Catch::TestCaseStats& stats) override {
        TestEventListenerBase::testCaseEnded(stats);
        const auto& assertions = stats.totals.assertions;
        if (!assertions.allOk()) {
            ++counts.failed;
        } else if (!counts.skip_reason.empty()) {
            ++counts.skipped;
            std::printf("SKIP %s: %s\n", counts.current.c_str(), counts.skip_reason.c_str());
        } else if (assertions.total() == 0) {
            ++counts.failed;
            std::printf("FAIL %s: the test asserted nothing\n", counts.current.c_str());
        } else {
            ++counts.passed;
        }
        std::fflush(stdout);
    }
};
CATCH_REGISTER_LISTENER(counting_listener)

}  // namespace

namespace quern::tests {

void at_end(std::string name, std::function<std::string()> check) { final_checks().push_back({std::move(name), std::move(check)}); }

void skip(const std::string& reason) { counts.skip_reason = reason.empty() ? "no reason given" : reason; }

}  // namespace quern::tests

int main(int argc, char** argv) {
    // What is tested is compiled here and now; tests of the cache have folders of their own.
    setenv("QUERN_CACHE", "off", 0);
    const int result = Catch::Session().run(argc, argv);
    if (!counts.ran) return result;
    for (const final_check& c : final_checks()) {
        const std::string failure = c.run();
        if (failure.empty()) continue;
        std::printf("FAIL %s: %s\n", c.name.c_str(), failure.c_str());
        ++counts.failed;
    }
    if (counts.passed + counts.failed + counts.skipped == 0) {
        std::puts("FAIL no test case has this name or tag");
        ++counts.failed;
    }
    std::printf("%d passed, %d failed, %d skipped\n", counts.passed, counts.failed, counts.skipped);
    return result != 0 || counts.failed != 0 ? 1 : 0;
}
