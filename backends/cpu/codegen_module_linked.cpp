#include "backends/cpu/codegen_module.hpp"

extern "C" const quern_cpu_codegen_api* quern_cpu_codegen();

namespace quern::cpu {

const quern_cpu_codegen_api& codegen_module() { return *quern_cpu_codegen(); }

}  // namespace quern::cpu
