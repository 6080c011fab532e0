// The way to the module that holds LLVM: loaded when first needed (codegen_module_loaded.cpp), or part of this program
// (codegen_module_linked.cpp); the build chooses one.
#pragma once

#include "backends/cpu/codegen_abi.hpp"

namespace quern::cpu {

/// Throws device_error, saying where it looked, if the module is not there.
const quern_cpu_codegen_api& codegen_module();

}  // namespace quern::cpu
