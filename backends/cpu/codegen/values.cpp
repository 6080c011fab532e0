// Values: what each operation is made by, and the operations that need no arithmetic.
#include <algorithm>
#include <cstddef>

#include "backends/cpu/codegen/emitter.hpp"

namespace quern::cpu::codegen {

/// The rule of each op; a new op does not compile until it has one.
constexpr emitter::rule emitter::rule_of(ir::op code) {
    using ir::op;
    switch (code) {
        case op::constant: return &emitter::emit_constant;
        case op::parameter: return &emitter::emit_parameter;
        case op::buffer_size: return &emitter::emit_buffer_size;
        case op::induction: return &emitter::emit_induction;
        case op::global_id: case op::local_id: case op::workgroup_id: case op::workgroup_count: case op::extent:
        case op::subgroup_size: case op::subgroup_lane: case op::subgroup_id: case op::subgroup_count:
            return &emitter::emit_position;
        case op::add: case op::sub: case op::mul: case op::div: case op::rem: case op::neg: case op::abs: case op::min:
        case op::max: case op::bit_and: case op::bit_or: case op::bit_xor: case op::bit_not: case op::shl: case op::shr:
        case op::popcount: case op::clz: case op::ctz: case op::reverse_bits:
            return &emitter::emit_elementwise;
        case op::eq: case op::ne: case op::lt: case op::le: case op::gt: case op::ge: return &emitter::emit_compare;
        case op::select: return &emitter::emit_select;
        case op::cast: return &emitter::emit_cast;
        case op::bit_cast: return &emitter::emit_bit_cast;
        case op::construct: return &emitter::emit_construct;
        case op::extract: return &emitter::emit_extract;
        case op::insert: return &emitter::emit_insert;
        case op::extract_dynamic: return &emitter::emit_extract_dynamic;
        case op::swizzle: return &emitter::emit_swizzle;
        case op::fma: case op::floor: case op::ceil: case op::trunc: case op::round: case op::rint: case op::sqrt:
        case op::rsqrt: case op::cbrt: case op::exp: case op::exp2: case op::expm1: case op::log: case op::log2:
        case op::log10: case op::log1p: case op::sin: case op::cos: case op::tan: case op::asin: case op::acos:
        case op::atan: case op::sinh: case op::cosh: case op::tanh: case op::asinh: case op::acosh: case op::atanh:
        case op::erf: case op::erfc: case op::tgamma: case op::lgamma: case op::pow: case op::atan2: case op::hypot:
        case op::fmod: case op::remainder: case op::nextafter: case op::copysign:
            return &emitter::emit_maths;
        case op::load: case op::uniform_load: return &emitter::emit_load;
        case op::atomic_load: case op::atomic_store: case op::atomic_add: case op::atomic_sub: case op::atomic_min:
        case op::atomic_max: case op::atomic_and: case op::atomic_or: case op::atomic_xor: case op::atomic_exchange:
        case op::atomic_compare_exchange:
            return &emitter::emit_atomic;
        case op::subgroup_add: case op::subgroup_mul: case op::subgroup_min: case op::subgroup_max: case op::subgroup_and:
        case op::subgroup_or: case op::subgroup_xor: case op::subgroup_inclusive_add: case op::subgroup_exclusive_add:
        case op::subgroup_broadcast: case op::subgroup_shuffle: case op::subgroup_shuffle_xor: case op::subgroup_shuffle_up:
        case op::subgroup_shuffle_down: case op::subgroup_any: case op::subgroup_all: case op::subgroup_ballot:
            return &emitter::emit_subgroup;
    }
    return nullptr;
}

constexpr std::array<emitter::rule, ir::op_count> emitter::rules = {
#define QUERN_OP(name, arity, operands, result, effects) emitter::rule_of(ir::op::name),
#include <quern/detail/ops.def>
#undef QUERN_OP
};

ir::scalar_kind emitter::scalar_of(ir::type_id t) const {
    const ir::type& type = module_[t];
    return type.kind == ir::type_kind::array ? scalar_of(type.element) : type.scalar;
}

components emitter::compute(ir::value_id v) {
    llvm::SmallVector<components, 4> operands;
    for (ir::value_id each : module_.operands_of(v)) operands.push_back(operand(each));
    return (this->*rules[static_cast<std::size_t>(module_[v].op)])(v, operands);
}

void emitter::define(ir::value_id v) {
    if (v.number < module_.value_locations.size()) set_location(module_.value_locations[v.number]);
    components c = compute(v);
    if (plan_.spilled[v.number]) spill(v, c);
    known(v) = std::move(c);
}

components emitter::operand(ir::value_id v) {
    if (!known(v).empty()) return known(v);
    if (!group_values_[v.number].empty()) return group_values_[v.number];
    if (plan_.spilled[v.number]) return reload(v);
    return compute(v);
}

std::vector<lane_value> emitter::operand_of_each(ir::value_id v) {
    std::vector<lane_value> all;
    each_vector([&] { all.push_back(operand(v)[0]); });
    return all;
}

llvm::Value* emitter::shared_scalar(ir::value_id v, const std::vector<lane_value>& each) {
    const bool one = std::all_of(each.begin(), each.end(), [&](const lane_value& x) { return x.is_uniform() && x.value == each[0].value; });
    return one || pack_agrees(v) ? scalar(each[0]) : nullptr;
}

components emitter::emit_constant(ir::value_id v, std::span<const components>) {
    const std::uint64_t bits = module_[v].immediate;
    const ir::scalar_kind k = scalar_of(v);
    llvm::Type* type = register_type(k);
    if (!type->isFloatingPointTy()) return {lane_value::uniform(llvm::ConstantInt::get(type, bits))};
    const llvm::APInt raw(ir::bit_width(k), bits);
    return {lane_value::uniform(llvm::ConstantFP::get(context_, llvm::APFloat(type->getFltSemantics(), raw)))};
}

components emitter::emit_parameter(ir::value_id v, std::span<const components>) {
    return value_parameter(static_cast<std::uint32_t>(module_[v].immediate));
}

components emitter::emit_buffer_size(ir::value_id v, std::span<const components>) {
    llvm::Value* size = buffer_size(static_cast<std::uint32_t>(module_[v].immediate));
    return {lane_value::uniform(b_.CreateTrunc(size, register_type(scalar_of(v))))};
}

components emitter::emit_induction(ir::value_id v, std::span<const components>) {
    refuse(module_, "induction v" + std::to_string(v.number) + " is read outside its loop");
}

lane_value emitter::local_position(std::uint64_t dimension, llvm::Type* type) {
    const auto& size = module_.workgroup_size;
    const std::uint64_t before = dimension == 0 ? 1 : dimension == 1 ? size[0] : std::uint64_t{size[0]} * size[1];
    if (size[dimension] == 1) return lane_value::uniform(llvm::ConstantInt::get(type, 0));
    llvm::Value* flat = b_.CreateMul(at().vector, b_.getInt32(lanes_), "", true, true);
    const bool in_row = lanes_stay_in_row(module_, lanes_);
    if (!in_row) flat = b_.CreateAdd(splat(flat), lane_numbers(b_.getInt32Ty(), 1), "", true, true);
    const auto constant = [&](std::uint64_t n) { return llvm::ConstantInt::get(flat->getType(), n); };
    llvm::Value* p = before == 1 ? flat : b_.CreateUDiv(flat, constant(before));
    // the highest dimension in use needs no remainder; lanes beyond the group may then lie outside it
    if (before * size[dimension] < workgroup_invocations()) p = b_.CreateURem(p, constant(size[dimension]));
    p = b_.CreateZExt(p, in_row ? type : vector_of(type));
    if (!in_row) return lane_value::varying(p);
    if (dimension != 0) return lane_value::uniform(p);
    lane_value x = lane_value::affine(p, 1);
    x.ordered = true;
    return x;
}

components emitter::emit_position(ir::value_id v, std::span<const components>) {
    const std::uint64_t dimension = module_[v].immediate;
    llvm::Type* type = register_type(scalar_of(v));
    // positions fit into 32 bits unless the kernel asks for 64: then addresses need not wrap
    const auto narrow = [&](llvm::Value* n) { return n->getType() == type ? n : b_.CreateTrunc(n, type, "", !wide_positions_); };
    const auto uniform = [&](llvm::Value* n) { return components{lane_value::uniform(b_.CreateZExtOrTrunc(n, type))}; };
    switch (module_[v].op) {
        case ir::op::global_id: {
            if (form_ == launch_form::range) {
                lane_value p = lane_value::uniform(narrow(group_index(dimension)));
                if (dimension == 0) p = lane_value::affine(p.value, 1);
                p.ordered = true;
                return {p};
            }
            llvm::Value* group = narrow(group_index(dimension));
            llvm::Value* origin = b_.CreateMul(group, llvm::ConstantInt::get(type, module_.workgroup_size[dimension]));
            lane_value p = local_position(dimension, type);
            p.value = b_.CreateAdd(p.shape == shape::varying ? splat(origin) : origin, p.value);
            return {p};
        }
        case ir::op::local_id: return {local_position(dimension, type)};
        case ir::op::workgroup_id: return uniform(group_index(dimension));
        case ir::op::workgroup_count:
            return uniform(launch_field(offsetof(quern_cpu_launch, groups) + 8 * dimension, b_.getInt64Ty()));
        case ir::op::extent:
            return uniform(launch_field(offsetof(quern_cpu_launch, extent) + 8 * dimension, b_.getInt64Ty()));
        case ir::op::subgroup_size: return uniform(b_.getInt32(lanes_));
        case ir::op::subgroup_count: return uniform(b_.getInt32(vector_count()));
        case ir::op::subgroup_id: return uniform(at().vector);
        case ir::op::subgroup_lane: {
            lane_value p = lane_value::affine(llvm::ConstantInt::get(type, 0), 1);
            p.ordered = true;
            return {p};
        }
        default: refuse(module_, "not a position");  // rule_of sends no other op here
    }
}

components emitter::emit_construct(ir::value_id v, std::span<const components> operands) {
    components all;
    for (const components& each : operands) all.append(each.begin(), each.end());
    // one operand for a whole vector means that value in each component
    if (const std::uint32_t n = leaf_count(module_, module_[v].type); all.size() == 1 && n > 1) all.assign(n, lane_value(all[0]));
    return all;
}

namespace {

/// Where member or component `number` of a value of type `t` starts among its scalars.
std::uint32_t first_leaf(const ir::module& m, ir::type_id t, std::uint64_t number) {
    if (m[t].kind != ir::type_kind::structure)
        return static_cast<std::uint32_t>(number) * (m[t].kind == ir::type_kind::array ? leaf_count(m, m[t].element) : 1);
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i < number; ++i) n += leaf_count(m, part_type(m, t, i));
    return n;
}

}  // namespace

components emitter::emit_extract(ir::value_id v, std::span<const components> operands) {
    const ir::type_id whole = module_[module_.operands_of(v)[0]].type;
    const std::uint32_t first = first_leaf(module_, whole, module_[v].immediate);
    const auto from = operands[0].begin() + first;
    return components(from, from + leaf_count(module_, module_[v].type));
}

components emitter::emit_insert(ir::value_id v, std::span<const components> operands) {
    components all = operands[0];
    std::copy(operands[1].begin(), operands[1].end(), all.begin() + first_leaf(module_, module_[v].type, module_[v].immediate));
    return all;
}

components emitter::emit_extract_dynamic(ir::value_id, std::span<const components> operands) {
    const components& all = operands[0];
    lane_value result = all[0];
    for (std::size_t i = 1; i < all.size(); ++i) {
        const lane_value& index = operands[1][0];
        const bool uniform = index.is_uniform() && result.is_uniform() && all[i].is_uniform();
        llvm::Value* at = index.is_uniform() ? index.value : vector(index);
        llvm::Value* here = b_.CreateICmpEQ(at, llvm::ConstantInt::get(at->getType(), i));
        result = uniform ? lane_value::uniform(b_.CreateSelect(here, all[i].value, result.value))
                         : lane_value::varying(b_.CreateSelect(here, vector(all[i]), vector(result)));
    }
    return {result};
}

components emitter::emit_swizzle(ir::value_id v, std::span<const components> operands) {
    components all;
    for (std::uint64_t s = module_[v].immediate; (s & 15) != 15 && all.size() < 4; s >>= 4) all.push_back(operands[0][s & 15]);
    return all;
}

components emitter::emit_select(ir::value_id, std::span<const components> operands) {
    components all;
    for (std::size_t i = 0; i < operands[1].size(); ++i) {
        const lane_value& c = operands[0].size() == 1 ? operands[0][0] : operands[0][i];
        const lane_value &a = operands[1][i], &b = operands[2][i];
        if (c.is_uniform() && a.shape != shape::varying && b.shape != shape::varying && a.stride == b.stride) {
            lane_value r = a;
            r.value = b_.CreateSelect(c.value, a.value, b.value);
            r.ordered = a.ordered && b.ordered;
            all.push_back(r);
        } else {
            all.push_back(lane_value::varying(b_.CreateSelect(c.is_uniform() ? c.value : vector(c), vector(a), vector(b))));
        }
    }
    return all;
}

}  // namespace quern::cpu::codegen
