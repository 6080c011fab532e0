// Where variables and values that cross regions live: the stack where one region sees them, scratch memory otherwise.
#include <algorithm>

#include "backends/cpu/codegen/emitter.hpp"
#include "dsl/ir/effects.hpp"

namespace quern::cpu::codegen {
namespace {

constexpr std::uint64_t none = ~std::uint64_t{0};
constexpr std::uint64_t largest_on_stack_bytes = 16 * 1024;

constexpr std::uint64_t largest_in_registers_bytes = 256;

constexpr std::uint64_t whole_lines(std::uint64_t size_bytes) { return (size_bytes + 63) / 64 * 64; }

}  // namespace

std::uint64_t emitter::reserve_scratch(std::uint64_t size_bytes) {
    const std::uint64_t at = scratch_bytes_;
    scratch_bytes_ = at + whole_lines(size_bytes);
    return at;
}

void emitter::prepare_homes() {
    variable_allocas_.assign(module_.variables.size(), {});
    variable_scratch_.assign(module_.variables.size(), none);
    spill_scratch_.assign(module_.values.size(), none);
    for (std::size_t i = 0; i < module_.variables.size(); ++i) {
        const ir::variable& v = module_.variables[i];
        if (v.storage == ir::storage::shared) {
            variable_scratch_[i] = reserve_scratch(host_layout_.size_bytes(v.type));
            continue;
        }
        const std::uint64_t size = std::max<std::uint64_t>(1, layout_at(divergence_.variables[i]).size_bytes(v.type));
        const bool on_stack = !plan_.in_scratch[i] || size <= largest_in_registers_bytes;
        if (plan_.in_scratch[i]) variable_scratch_[i] = reserve_scratch(size * vector_count());
        if (!on_stack) continue;
        if (size > largest_on_stack_bytes) variable_scratch_[i] = reserve_scratch(whole_lines(size) * pack_);
        else
            for (std::uint32_t v = 0; v < (splits_pack(divergence_.variables[i]) ? pack_ : 1); ++v)
                variable_allocas_[i][v] = allocate(llvm::ArrayType::get(b_.getInt8Ty(), size), "variable");
    }
    for (std::size_t i = 0; i < module_.values.size(); ++i) {
        if (!plan_.spilled[i]) continue;
        std::uint64_t size = 0;
        const layout& l = layout_at(divergence_.values[i]);
        for (const leaf& each : l.leaves(module_.values[i].type)) size += std::uint64_t{ir::size_bytes(each.kind)} * l.lanes();
        spill_scratch_[i] = reserve_scratch(size * vector_count());
    }
    if (plan_.keeps_returned) returned_scratch_ = reserve_scratch(std::uint64_t{lanes_} * vector_count());
}

llvm::Value* emitter::scratch_at(std::uint64_t offset_bytes, std::uint64_t bytes_per_vector) {
    llvm::Value* base = offset_pointer(scratch_, i64(offset_bytes));
    if (bytes_per_vector == 0) return base;
    return offset_pointer(base, b_.CreateMul(b_.CreateZExt(at().vector, b_.getInt64Ty()), i64(bytes_per_vector)));
}

llvm::Value* emitter::variable_pointer(std::uint32_t variable) {
    const std::uint32_t number = splits_pack(divergence_.variables[variable]) ? current_ : 0;
    if (on_stack(variable)) return variable_allocas_[variable][number];
    if (module_.variables[variable].storage == ir::storage::shared) return scratch_at(variable_scratch_[variable], 0);
    if (plan_.in_scratch[variable]) return crossing_pointer(variable);
    const std::uint64_t size = layout_at(divergence_.variables[variable]).size_bytes(module_.variables[variable].type);
    return scratch_at(variable_scratch_[variable] + whole_lines(size) * number, 0);
}

llvm::Value* emitter::crossing_pointer(std::uint32_t variable) {
    return scratch_at(variable_scratch_[variable], layout_at(divergence_.variables[variable]).size_bytes(module_.variables[variable].type));
}

/// Variables that cross regions live on the stack within one, where LLVM makes registers of them.
void emitter::copy_crossing(std::span<const std::uint32_t> variables, crossing direction) {
    for (const std::uint32_t i : variables) {
        const layout& l = layout_at(divergence_.variables[i]);
        each_vector(divergence_.variables[i], [&] {
            accessed_root_ = module_.parameters.size();
            llvm::Value *stack = variable_pointer(i), *scratch = crossing_pointer(i);
            for (const leaf& each : l.leaves(module_.variables[i].type)) {
                llvm::Type* scalar = memory_type(each.kind);
                llvm::Type* type = l.lanes() > 1 ? vector_of(scalar) : scalar;
                llvm::Value *near = offset_pointer(stack, i64(each.offset_bytes)), *far = offset_pointer(scratch, i64(each.offset_bytes));
                const llvm::Align alignment(std::min<std::uint64_t>(64, ir::size_bytes(each.kind) * std::uint64_t{l.lanes()}));
                if (direction == crossing::in) b_.CreateAlignedStore(in_scope(b_.CreateAlignedLoad(type, far, alignment)), near, alignment);
                else mark_scope(b_.CreateAlignedStore(b_.CreateAlignedLoad(type, near, alignment), far, alignment));
            }
        });
    }
}

/// Those that statements of a region read (or store in part), and those that they store.
std::array<std::vector<std::uint32_t>, 2> emitter::crossing_variables(ir::block_id b, std::span<const std::size_t> which) const {
    std::vector<bool> used(module_.variables.size()), stored(module_.variables.size());
    const auto mark = [&](ir::place_id p, std::vector<bool>& in) {
        if (module_[p].root == ir::root_kind::variable) in[module_[p].number] = true;
    };
    for (const std::size_t i : which) {
        for_each_statement(module_, module_[b].statements[i], [&](const ir::statement& s) {
            if (const auto* d = std::get_if<ir::define>(&s); d && ir::accesses_memory(module_[d->value].op)) mark(module_.place_of(d->value), used);
            if (const auto* w = std::get_if<ir::store>(&s)) mark(w->place, stored);
        });
    }
    std::array<std::vector<std::uint32_t>, 2> all;
    for (std::uint32_t i = 0; i < used.size(); ++i) {
        if (!plan_.in_scratch[i] || !on_stack(i)) continue;
        if (used[i] || stored[i]) all[0].push_back(i);
        if (stored[i]) all[1].push_back(i);
    }
    return all;
}

void emitter::declare(ir::variable_id v) {
    // a new life: what an earlier iteration left is not carried along
    llvm::AllocaInst* home = variable_allocas_[v.number][splits_pack(divergence_.variables[v.number]) ? current_ : 0];
    if (home && layout_at(divergence_.variables[v.number]).size_bytes(module_[v].type) <= 1024) {
        const layout& l = layout_at(divergence_.variables[v.number]);
        for (const leaf& each : l.leaves(module_[v].type)) {
            llvm::Type* scalar = memory_type(each.kind);
            llvm::Type* type = l.lanes() > 1 ? vector_of(scalar) : scalar;
            b_.CreateAlignedStore(llvm::UndefValue::get(type), offset_pointer(home, i64(each.offset_bytes)), llvm::Align(1));
        }
    }
}

void emitter::spill(ir::value_id v, const components& value) {
    accessed_root_ = module_.parameters.size();
    const layout& l = layout_at(divergence_.values[v.number]);
    const std::vector<leaf> leaves = l.leaves(module_[v].type);
    std::uint64_t size = 0, offset = 0;
    for (const leaf& each : leaves) size += std::uint64_t{ir::size_bytes(each.kind)} * l.lanes();
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        llvm::Value* at = scratch_at(spill_scratch_[v.number] + offset, size);
        llvm::Value* x = l.lanes() == 1 ? scalar(value[i]) : vector(value[i]);
        mark_scope(b_.CreateAlignedStore(to_memory(x, leaves[i].kind), at, llvm::Align(1)));
        offset += std::uint64_t{ir::size_bytes(leaves[i].kind)} * l.lanes();
    }
}

components emitter::reload(ir::value_id v) {
    accessed_root_ = module_.parameters.size();
    const layout& l = layout_at(divergence_.values[v.number]);
    const std::vector<leaf> leaves = l.leaves(module_[v].type);
    std::uint64_t size = 0, offset = 0;
    for (const leaf& each : leaves) size += std::uint64_t{ir::size_bytes(each.kind)} * l.lanes();
    components all;
    for (const leaf& each : leaves) {
        llvm::Value* at = scratch_at(spill_scratch_[v.number] + offset, size);
        llvm::Type* scalar = memory_type(each.kind);
        llvm::Value* x = in_scope(b_.CreateAlignedLoad(l.lanes() == 1 ? scalar : vector_of(scalar), at, llvm::Align(1)));
        x = from_memory(x, each.kind);
        all.push_back(l.lanes() == 1 ? lane_value::uniform(x) : lane_value::varying(x));
        offset += std::uint64_t{ir::size_bytes(each.kind)} * l.lanes();
    }
    return all;
}

}  // namespace quern::cpu::codegen
