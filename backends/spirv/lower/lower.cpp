#include "backends/spirv/lowering.hpp"
namespace quern::spirv {
lowered_module lower(const ir::module& m, const features&) { return {m, {}}; }
}
