// What this machine is, in LLVM's words.
#pragma once

#include <string>

#include "backends/cpu/codegen_abi.hpp"

namespace quern::cpu::codegen {

std::string host_cpu();
/// Exact: every feature that LLVM knows, with + or -.
std::string host_features();
void describe_host(quern_cpu_host& out);

}  // namespace quern::cpu::codegen
