#include "backends/reference/decoded_kernel.hpp"

#include <fmt/format.h>

#include "dsl/ir/validator.hpp"

namespace quern::reference {
namespace {

using ir::op;

action action_of(op code) {
    switch (code) {
        case op::constant: return action::constant;
        case op::parameter: return action::parameter;
        case op::buffer_size: return action::buffer_size;
        case op::induction: return action::induction;
        case op::global_id: case op::local_id: case op::workgroup_id: case op::workgroup_count: case op::extent:
        case op::subgroup_size: case op::subgroup_lane: case op::subgroup_id: case op::subgroup_count:
            return action::position;
        case op::construct: return action::construct;
        case op::extract: return action::extract;
        case op::insert: return action::insert;
        case op::extract_dynamic: return action::extract_dynamic;
        case op::swizzle: return action::swizzle;
        case op::bit_cast: return action::reinterpret;
        case op::load: return action::load;
        case op::uniform_load: return action::uniform_load;
        case op::atomic_load: case op::atomic_store: case op::atomic_add: case op::atomic_sub: case op::atomic_min:
        case op::atomic_max: case op::atomic_and: case op::atomic_or: case op::atomic_xor: case op::atomic_exchange:
        case op::atomic_compare_exchange: return action::atomic;
        case op::subgroup_add: case op::subgroup_mul: case op::subgroup_min: case op::subgroup_max:
        case op::subgroup_and: case op::subgroup_or: case op::subgroup_xor: case op::subgroup_inclusive_add:
        case op::subgroup_exclusive_add: case op::subgroup_broadcast: case op::subgroup_shuffle:
        case op::subgroup_shuffle_xor: case op::subgroup_shuffle_up: case op::subgroup_shuffle_down:
        case op::subgroup_any: case op::subgroup_all: case op::subgroup_ballot: return action::exchange;
        case op::add: case op::sub: case op::mul: case op::div: case op::rem: case op::neg: case op::abs: case op::min:
        case op::max: case op::fma: case op::bit_and: case op::bit_or: case op::bit_xor: case op::bit_not: case op::shl:
        case op::shr: case op::popcount: case op::clz: case op::ctz: case op::reverse_bits: case op::eq: case op::ne:
        case op::lt: case op::le: case op::gt: case op::ge: case op::select: case op::cast: case op::floor:
        case op::ceil: case op::trunc: case op::round: case op::rint: case op::sqrt: case op::rsqrt: case op::cbrt:
        case op::exp: case op::exp2: case op::expm1: case op::log: case op::log2: case op::log10: case op::log1p:
        case op::sin: case op::cos: case op::tan: case op::asin: case op::acos: case op::atan: case op::sinh:
        case op::cosh: case op::tanh: case op::asinh: case op::acosh: case op::atanh: case op::erf: case op::erfc:
        case op::tgamma: case op::lgamma: case op::pow: case op::atan2: case op::hypot: case op::fmod:
        case op::remainder: case op::nextafter: case op::copysign: return action::elementwise;
    }
    return action::elementwise;
}

std::string name_in(const std::vector<std::string>& names, std::uint32_t number, const char* kind) {
    if (number < names.size() && !names[number].empty()) return names[number];
    return fmt::format("{} {}", kind, number);
}

}  // namespace

decoded_kernel::decoded_kernel(const ir::module& m) : module_(m), types_(m), instructions_(m.values.size()) {
    for (std::uint32_t v = 0; v < m.values.size(); ++v) decode_value({v});
    place_variables();
    place_parameters();
}

void decoded_kernel::decode_value(ir::value_id v) {
    const ir::value& value = module_[v];
    const auto operands = module_.operands_of(v);
    instruction& i = instructions_[v.number];
    i.action = action_of(value.op);
    i.op = value.op;
    i.slot = register_count_;
    if (value.type) {
        i.result = module_[value.type].scalar;
        i.components = types_.components(value.type);
    }
    register_count_ += i.components;
    if (!operands.empty()) i.operand = module_.type_of(operands[value.op == op::select ? 1 : 0]).scalar;
}

void decoded_kernel::place_variables() {
    for (const ir::variable& v : module_.variables) {
        std::uint32_t& end = v.storage == ir::storage::local ? local_count_ : shared_count_;
        variable_first_.push_back(end);
        end += types_.components(v.type);
    }
}

void decoded_kernel::place_parameters() {
    for (const ir::parameter& p : module_.parameters) {
        if (p.kind == ir::parameter_kind::buffer) {
            parameter_position_.push_back(buffer_count_++);
            continue;
        }
        const ir::type& type = module_[p.type];
        const std::uint32_t offset =
            (values_size_bytes_ + type.alignment_bytes - 1) / type.alignment_bytes * type.alignment_bytes;
        parameter_position_.push_back(offset);
        values_size_bytes_ = offset + type.size_bytes;
    }
}

std::string decoded_kernel::describe(ir::location_id l) const {
    if (!l || l.number >= module_.locations.size()) return fmt::format("kernel '{}': ", module_.name);
    return fmt::format("kernel '{}', {}: ", module_.name, ir::describe(module_, l));
}

std::string decoded_kernel::root_name(const ir::place& p) const {
    return p.root == ir::root_kind::parameter ? name_in(module_.parameter_names, p.number, "parameter")
                                              : name_in(module_.variable_names, p.number, "variable");
}

}  // namespace quern::reference
