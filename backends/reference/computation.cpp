// How an invocation computes one value; exchanges between lanes are subgroup.cpp's.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <quern/error.hpp>

#include "backends/reference/invocation.hpp"
#include "dsl/ir/evaluate.hpp"

namespace quern::reference {

using ir::op;

void invocation::compute(ir::value_id v) {
    const instruction& i = kernel_[v];
    const ir::value& value = module_[v];
    const auto operands = module_.operands_of(v);
    std::uint64_t* result = registers(v);
    const auto part_of = [&](ir::type_id whole) {
        return kernel_.types().part_first(whole, static_cast<std::uint32_t>(value.immediate));
    };
    switch (i.action) {
        case action::elementwise: return compute_elementwise(v);
        case action::constant: *result = value.immediate; return;
        case action::parameter: {
            const auto offset = kernel_.parameter_position(static_cast<std::uint32_t>(value.immediate));
            return kernel_.types().read(value.type, memory_.values.data() + offset, result);
        }
        case action::buffer_size: {
            const std::array count{element_count(memory_, static_cast<std::uint32_t>(value.immediate))};
            *result = ir::evaluate(op::cast, i.result, ir::scalar_kind::u64, count);
            return;
        }
        case action::induction: return;  // its loop writes it
        case action::position: {
            const std::array number{position_of(v)};
            *result = ir::evaluate(op::cast, i.result, ir::scalar_kind::u64, number);
            return;
        }
        case action::reinterpret: return compute_reinterpret(v);
        case action::construct: return compute_construct(v);
        case action::extract:
            std::copy_n(registers(operands[0]) + part_of(module_[operands[0]].type), i.components, result);
            return;
        case action::insert:
            std::copy_n(registers(operands[0]), i.components, result);
            std::copy_n(registers(operands[1]), kernel_[operands[1]].components, result + part_of(value.type));
            return;
        case action::extract_dynamic: return compute_extract_dynamic(v);
        case action::swizzle:
            for (std::uint32_t c = 0; c < i.components; ++c)
                result[c] = registers(operands[0])[value.immediate >> (4 * c) & 15];
            return;
        case action::load:
        case action::uniform_load: return read(memory_, resolve(memory_, module_.place_of(v), location()), result);
        case action::atomic: return compute_atomic(v);
        case action::exchange: return;  // the scheduler writes it
    }
}

/// One evaluation a component; a scalar operand beside vectors (select's condition) counts for each.
void invocation::compute_elementwise(ir::value_id v) {
    const instruction& i = kernel_[v];
    const auto operands = module_.operands_of(v);
    std::array<std::uint64_t, 3> bits{};
    for (std::uint32_t c = 0; c < i.components; ++c) {
        for (std::size_t o = 0; o < operands.size(); ++o) {
            const instruction& operand = kernel_[operands[o]];
            bits[o] = registers_[operand.slot + (operand.components == 1 ? 0 : c)];
        }
        registers_[i.slot + c] = ir::evaluate(i.op, i.result, i.operand, std::span(bits).first(operands.size()));
    }
}

void invocation::compute_construct(ir::value_id v) {
    std::uint64_t* result = registers(v);
    for (const ir::value_id part : module_.operands_of(v))
        result = std::copy_n(registers(part), kernel_[part].components, result);
}

void invocation::compute_extract_dynamic(ir::value_id v) {
    const auto operands = module_.operands_of(v);
    const std::uint64_t index = index_value(memory_, operands[1]);
    const std::uint64_t bound = kernel_[operands[0]].components;
    if (index >= bound) fail_range(kernel_, location(), "a vector", index, bound);
    *registers(v) = registers(operands[0])[index];
}

void invocation::compute_reinterpret(ir::value_id v) {
    const ir::value_id from = module_.operands_of(v)[0];
    std::array<std::byte, 32> bytes{};  // four components of eight bytes at most
    kernel_.types().write(module_[from].type, registers(from), bytes.data());
    kernel_.types().read(module_[v].type, bytes.data(), registers(v));
}

namespace {

/// What an atomic stores, as an op on (old value, operand); the others store their operand.
std::optional<op> combination_of(op code) {
    if (code == op::atomic_add) return op::add;
    if (code == op::atomic_sub) return op::sub;
    if (code == op::atomic_min) return op::min;
    if (code == op::atomic_max) return op::max;
    if (code == op::atomic_and) return op::bit_and;
    if (code == op::atomic_or) return op::bit_or;
    if (code == op::atomic_xor) return op::bit_xor;
    return std::nullopt;
}

}  // namespace

/// compare_exchange has the operands (expected, desired). A place that holds fewer or more than a scalar has no atomics.
void invocation::compute_atomic(ir::value_id v) {
    const auto operands = module_.operands_of(v);
    const op code = module_[v].op;
    const spot place = resolve(memory_, module_.place_of(v), location());
    std::uint64_t old = 0;
    read(memory_, place, &old);
    if (kernel_[v].components != 0) *registers(v) = old;
    if (code == op::atomic_load || (code == op::atomic_compare_exchange && old != scalar(operands[0]))) return;
    std::uint64_t stored = scalar(operands.back());
    if (const auto combination = combination_of(code)) {
        const std::array bits{old, stored};
        const ir::scalar_kind kind = module_[place.type].scalar;
        stored = ir::evaluate(*combination, kind, kind, bits);
    }
    write(memory_, &stored, place);
}

std::uint64_t invocation::position_of(ir::value_id v) const {
    const auto dimension = static_cast<std::size_t>(module_[v].immediate);
    const op code = module_[v].op;
    if (code == op::global_id) return position_.global[dimension];
    if (code == op::local_id) return position_.local[dimension];
    if (code == op::workgroup_id) return position_.group[dimension];
    if (code == op::workgroup_count) return position_.groups[dimension];
    if (code == op::extent) return position_.extent[dimension];
    if (code == op::subgroup_size) return position_.lanes;
    if (code == op::subgroup_lane) return position_.flat_local % position_.lanes;
    if (code == op::subgroup_id) return position_.flat_local / position_.lanes;
    if (code == op::subgroup_count) return (position_.workgroup_invocations + position_.lanes - 1) / position_.lanes;
    throw internal_error(fmt::format("{}{} is no position; please report this with the IR dump",
                                     kernel_.describe(location()), ir::info(code).name));
}

}  // namespace quern::reference
