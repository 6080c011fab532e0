// The device's layout is the host's: two hundred structs go through every device and come back with the bytes that the
// host's own code leaves, padding included.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>

#include "backends/backend.hpp"
#include "tests/conformance/every_device.hpp"
#include "tests/conformance/struct_case.hpp"
#include "tests/support/folders.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

/// Where the buffers differ from what is expected, in words; empty if nowhere.
std::string difference(const struct_case& c, const experiment& got) {
    for (std::size_t b = 0; b < c.after.size(); ++b) {
        const auto [g, e] = std::ranges::mismatch(got.buffers[b], c.after[b]);
        if (g != got.buffers[b].end())
            return fmt::format("{}: buffer {} differs from byte {} on, elements have {} bytes", c.name, b, g - got.buffers[b].begin(),
                               c.after[b].size() / struct_elements);
    }
    return {};
}

experiment start_of(const struct_case& c) {
    experiment e;
    e.kernel = &c.kernel;
    e.buffers = c.before;
    e.values = c.values;
    e.extent = c.extent;
    return e;
}

const std::vector<struct_case>& all_cases() {
    static const std::vector<struct_case> cases = [] {
        std::vector<struct_case> all;
        for (const auto make : {struct_cases_0, struct_cases_1, struct_cases_2, struct_cases_3})
            for (struct_case& c : make()) all.push_back(std::move(c));
        return all;
    }();
    return cases;
}

}  // namespace

TEST_CASE("Two hundred structs keep the host's layout on the reference") {
    CHECK(all_cases().size() == 200);
    for (const struct_case& c : all_cases()) {
        experiment e = start_of(c);
        run_on_reference(e, 8);
        CHECK(difference(c, e) == "");
    }
}

TEST_CASE("Two hundred structs keep the host's layout on every device") {
    on_every_device([](testbed& bed) {
        for (const struct_case& c : all_cases()) {
            experiment e = start_of(c);
            INFO(bed.where().device << " at " << bed.where().lanes << " lanes");
            CHECK_NOTHROW(bed.run(e));
            CHECK(difference(c, e) == "");
        }
    });
}

TEST_CASE("The table of structs is current") {
    CHECK(std::system(("python3 '" + tests::source_folder() + "/scripts/structs.py' --check").c_str()) == 0);
}
