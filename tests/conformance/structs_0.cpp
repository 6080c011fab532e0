// Fifty of the structs of scripts/structs.py; their compilation is spread over several files.
#include "tests/conformance/struct_case.hpp"

namespace quern::tests {
namespace {

#include "tests/conformance/struct_members.inc"
#include "tests/conformance/structs_0.inc"

}  // namespace

std::vector<struct_case> struct_cases_0() { return make_struct_cases(struct_list{}); }

}  // namespace quern::tests
