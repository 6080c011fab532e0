// Catch2 2.13 cannot skip: a test that lacks a device or a tool says so here and returns. It then counts as skipped,
// never as passed; a failed assertion before it still fails the test.
//     if (!device_is_present("cuda")) return quern::tests::skip("no CUDA device");
#pragma once

#include <functional>
#include <string>

namespace quern::tests {

/// Marks the running test case as skipped; the reason is printed and must say what is missing.
void skip(const std::string& reason);

/// Runs when all test cases have: what it returns is a failure of the suite; empty: nothing is wrong.
void at_end(std::string name, std::function<std::string()> check);

}  // namespace quern::tests
