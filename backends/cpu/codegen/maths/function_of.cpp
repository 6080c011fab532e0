#include <algorithm>
#include <array>

#include "backends/cpu/codegen/maths/functions.hpp"

namespace quern::cpu::codegen::maths {
namespace {

struct row {
    ir::op code;
    real (*unary)(real);
    real (*binary)(real, real);
};

constexpr auto rows = std::to_array<row>({
    {ir::op::exp, exp, nullptr},     {ir::op::exp2, exp2, nullptr}, {ir::op::log, log, nullptr}, {ir::op::log2, log2, nullptr},
    {ir::op::log10, log10, nullptr}, {ir::op::sin, sin, nullptr},   {ir::op::cos, cos, nullptr}, {ir::op::tan, tan, nullptr},
    {ir::op::erf, erf, nullptr},     {ir::op::erfc, erfc, nullptr}, {ir::op::pow, nullptr, pow},
});

}  // namespace

llvm::Value* emit(ir::op code, workshop& shop, std::span<llvm::Value* const> in) {
    const auto* r = std::ranges::find(rows, code, &row::code);
    if (r == rows.end()) return nullptr;
    llvm::IRBuilderBase::FastMathFlagGuard exact(shop.b);
    shop.b.setFastMathFlags({});
    const auto argument = [&](std::size_t i) {
        real a;
        a.value = in[i];
        a.shop = &shop;
        return a;
    };
    return (r->unary ? r->unary(argument(0)) : r->binary(argument(0), argument(1))).value;
}

}  // namespace quern::cpu::codegen::maths
