// Hidden test cases, one of each outcome, by which tests/runner checks that the counting in main.cpp is right. The tag
// keeps them out of every normal run.
#include <catch2/catch.hpp>

#include "tests/skip.hpp"

namespace quern::tests {

TEST_CASE("probe: it passes", "[.outcome-probe]") { CHECK(1 + 1 == 2); }
TEST_CASE("probe: it fails", "[.outcome-probe]") { CHECK(1 + 1 == 3); }
TEST_CASE("probe: it asserts nothing", "[.outcome-probe]") {}
TEST_CASE("probe: it throws", "[.outcome-probe]") { throw 1; }
TEST_CASE("probe: it skips", "[.outcome-probe]") { return skip("this is the reason"); }
TEST_CASE("probe: it skips after a pass", "[.outcome-probe]") {
    CHECK(1 + 1 == 2);
    return skip("this is the other reason");
}
TEST_CASE("probe: it skips after a failure", "[.outcome-probe]") {
    CHECK(1 + 1 == 3);
    return skip("this is no excuse");
}

}  // namespace quern::tests
