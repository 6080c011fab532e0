// Rounding and maths: what the machine has as instructions, the rest through the import table, lane by lane.
#include <algorithm>
#include <array>

#include "backends/cpu/codegen/emitter.hpp"
#include "backends/cpu/codegen/machine.hpp"
#include "backends/cpu/codegen/maths/functions.hpp"

namespace quern::cpu::codegen {
namespace {

struct import_row {
    ir::op op;
    cpu::import f32, f64;
};

constexpr auto import_rows = std::to_array<import_row>({
#define QUERN_CPU_IMPORT_ROW(name, operands, float_function, double_function) \
    {ir::op::name, cpu::import::name##_f32, cpu::import::name##_f64},
    QUERN_CPU_IMPORTS(QUERN_CPU_IMPORT_ROW)
#undef QUERN_CPU_IMPORT_ROW
});

}  // namespace

components emitter::emit_maths(ir::value_id v, std::span<const components> operands) {
    const ir::scalar_kind k = scalar_of(v);
    const bool half = k == ir::scalar_kind::f16 || k == ir::scalar_kind::bf16;
    components all;
    for (std::size_t i = 0; i < operands[0].size(); ++i) {
        bool uniform = true;
        for (const components& o : operands) uniform = uniform && o[i].is_uniform();
        llvm::SmallVector<llvm::Value*, 3> in;
        for (const components& o : operands) {
            llvm::Value* x = uniform ? o[i].value : vector(o[i]);
            in.push_back(x);
        }
        llvm::Value* r = nullptr;
        if (!half) r = float_function(module_[v].op, in);
        else if (module_[v].op == ir::op::fma) r = fused_small(k, in);
        else if (module_[v].op == ir::op::nextafter) r = next_small(k, in[0], in[1]);
        else {
            for (llvm::Value*& each : in) each = widen_half(each, k);
            r = narrow_to_half(float_function(module_[v].op, in), k);
        }
        all.push_back(uniform ? lane_value::uniform(r) : lane_value::varying(r));
    }
    return all;
}

llvm::Value* emitter::float_function(ir::op code, std::span<llvm::Value* const> in) {
    using namespace llvm;
    if (options_.has_rounding) {
        if (code == ir::op::floor) return intrinsic(Intrinsic::floor, {in[0]});
        if (code == ir::op::ceil) return intrinsic(Intrinsic::ceil, {in[0]});
        if (code == ir::op::trunc) return intrinsic(Intrinsic::trunc, {in[0]});
        if (code == ir::op::round) return intrinsic(Intrinsic::round, {in[0]});
        if (code == ir::op::rint) return intrinsic(Intrinsic::rint, {in[0]});
    }
    if (code == ir::op::fma && options_.has_fma) return intrinsic(Intrinsic::fma, {in[0], in[1], in[2]});
    if (code == ir::op::sqrt) return intrinsic(Intrinsic::sqrt, {in[0]});
    if (code == ir::op::copysign) return intrinsic(Intrinsic::copysign, {in[0], in[1]});
    if (code == ir::op::rsqrt)
        return b_.CreateFDiv(ConstantFP::get(in[0]->getType(), 1.0), intrinsic(Intrinsic::sqrt, {in[0]}));
    maths::workshop shop(b_);
    shop.has_fma = options_.has_fma;
    shop.has_rounding = options_.has_rounding;
    shop.has_avx512 = options_.has_avx512;
    shop.register_bits = vector_register_bits(lanes_, options_.has_avx512);
    shop.approximates = module_.math != ir::math_mode::precise;
    if (module_.math == ir::math_mode::fast) shop.specials = maths::special_values::open;
    shop.any_lane = [this](llvm::Value* mask) { return any(and_mask(mask)); };
    if (llvm::Value* r = maths::emit(code, shop, in)) return r;
    const auto* row = std::find_if(import_rows.begin(), import_rows.end(), [&](const import_row& r) { return r.op == code; });
    if (row == import_rows.end()) refuse(module_, "no function for " + std::string(ir::info(code).name));
    return call_import(in[0]->getType()->getScalarType()->isFloatTy() ? row->f32 : row->f64, in);
}

llvm::Value* emitter::call_import(cpu::import function, std::span<llvm::Value* const> in) {
    llvm::Type* type = in[0]->getType();
    llvm::SmallVector<llvm::Type*, 3> parameters(in.size(), type->getScalarType());
    auto* signature = llvm::FunctionType::get(type->getScalarType(), parameters, false);
    llvm::Value* callee = table_entry(offsetof(quern_cpu_launch, imports), static_cast<std::size_t>(function),
                                      llvm::PointerType::get(context_, 0));
    const auto call = [&](llvm::ArrayRef<llvm::Value*> arguments) {
        llvm::CallInst* c = b_.CreateCall(signature, callee, arguments);
        c->setDoesNotAccessMemory();
        c->setDoesNotThrow();
        c->addFnAttr(llvm::Attribute::WillReturn);
        return c;
    };
    if (!type->isVectorTy()) return call(llvm::SmallVector<llvm::Value*, 3>(in.begin(), in.end()));
    // also for lanes that are off: the functions take any bits and never trap
    llvm::Value* all = llvm::PoisonValue::get(type);
    for (std::uint32_t i = 0; i < lanes_; ++i) {
        llvm::SmallVector<llvm::Value*, 3> arguments;
        for (llvm::Value* each : in) arguments.push_back(b_.CreateExtractElement(each, i));
        all = b_.CreateInsertElement(all, call(arguments), i);
    }
    return all;
}

}  // namespace quern::cpu::codegen
