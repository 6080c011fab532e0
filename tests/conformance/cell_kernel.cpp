#include "tests/conformance/cell_kernel.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "dsl/ir/accuracy.hpp"
#include "tests/conformance/inputs.hpp"

namespace quern::tests {
namespace {

using fuzz::shape;
using ir::op;
using ir::operand_rule;
using ir::scalar_kind;

/// Elements a buffer: room for the cross product of the edges; no multiple of any lane width.
constexpr std::size_t elements = 1003;

/// Builds one kernel. Cells share the buffers of operands that have one shape and one number.
class kernel_maker {
public:
    kernel_maker(const family& f, std::uint32_t workgroup_size) {
        result_.kernel = std::make_unique<sketch>("conformance");
        convergent_ = ir::info(f.front().op).effect == ir::effect::convergent;
        count_ = convergent_ ? elements / workgroup_size * workgroup_size : elements;
        if (convergent_) k().cooperate(workgroup_size);
        index_ = k().leaf(op::global_id);
        if (convergent_) measure_subgroup(workgroup_size);
        for (const fuzz::cell& c : f) add(c);
        k().finish();
        result_.start.kernel = &k().m;
        result_.start.extent = {count_, 1, 1};
    }

    cell_kernel take() { return std::move(result_); }

private:
    sketch& k() { return *result_.kernel; }
    ir::builder& b() { return result_.kernel->b; }

    /// Lanes of this subgroup that exist.
    void measure_subgroup(std::uint32_t workgroup_size) {
        const auto size = k().leaf(op::subgroup_size);
        const auto before = b().define(op::mul, {k().leaf(op::subgroup_id), size});
        lane_ = k().leaf(op::subgroup_lane);
        live_ = b().define(op::min, {size, b().define(op::sub, {k().u32(workgroup_size), before})});
    }

    std::uint32_t add_buffer(shape s, bytes content, ir::access a) {
        result_.start.buffers.push_back(std::move(content));
        result_.shapes.push_back(s);
        return k().buffer(k().shaped(s.kind, s.width), a);
    }

    /// Operand `number` of shape `s`, loaded at this invocation's element.
    ir::value_id operand(cell_buffers& cell, shape s, unsigned number, range r = range::full) {
        const auto [at, added] = inputs_.try_emplace({s, number, r});
        if (added) at->second = add_buffer(s, make_scalars(s.kind, count_ * s.width, number, r), ir::access::read);
        cell.operands.push_back(at->second);
        return k().load(at->second, index_);
    }

    void add(const fuzz::cell& c) {
        cell_buffers cell{c, {}, 0, {}};
        const auto put = [&](ir::value_id v) {
            cell.result = fuzz::shape_of(k().m, v);
            bytes nothing(count_ * fuzz::size_bytes(cell.result), std::byte{0x5a});
            cell.output = add_buffer(cell.result, std::move(nothing), ir::access::write);
            k().store(cell.output, index_, v);
            result_.cells.push_back(cell);
        };
        switch (ir::info(c.op).operands) {
            case operand_rule::arithmetic: case operand_rule::integral: case operand_rule::floating:
            case operand_rule::bits: case operand_rule::any: case operand_rule::boolean: case operand_rule::lane_value: {
                const range r = convergent_ && ir::is_float(c.operand.kind) && !ir::max_ulp(c.op, c.operand.kind)
                                    ? range::small : range::full;
                std::vector<ir::value_id> operands;
                for (int i = 0; i < ir::info(c.op).arity; ++i)
                    operands.push_back(operand(cell, c.operand, static_cast<unsigned>(i), r));
                return put(b().define(c.op, operands));
            }
            case operand_rule::selection:
                return put(b().define(c.op, {operand(cell, c.operand, 0), operand(cell, c.result, 1), operand(cell, c.result, 2)}));
            case operand_rule::conversion: case operand_rule::reinterpret:
                return put(b().define(c.op, {operand(cell, c.operand, 0)}, 0, k().shaped(c.result.kind, c.result.width)));
            case operand_rule::components: {
                std::vector<ir::value_id> parts;
                for (std::uint32_t i = 0; i < c.result.width; ++i)
                    parts.push_back(operand(cell, c.result.component(), std::min(i, 2u)));
                return put(b().define(c.op, parts, 0, k().shaped(c.result.kind, c.result.width)));
            }
            case operand_rule::component: return put(b().define(c.op, {operand(cell, c.operand, 0)}, c.operand.width - 1));
            case operand_rule::replacement:
                return put(b().define(c.op, {operand(cell, c.operand, 0), operand(cell, c.operand.component(), 1)}, c.operand.width - 1));
            case operand_rule::dynamic: {
                const auto vector = operand(cell, c.operand, 0);
                const auto position = b().define(op::rem, {index_, k().u32(c.operand.width)});
                return put(b().define(c.op, {vector, b().define(op::cast, {position}, 0, k().scalar(c.result.kind))}));
            }
            case operand_rule::lanes: {
                std::uint64_t pattern = ~std::uint64_t{0} << (4 * c.result.width);
                for (std::uint32_t i = 0; i < c.result.width; ++i)
                    pattern |= std::uint64_t{(i + 1) % c.operand.width} << (4 * i);
                return put(b().define(c.op, {operand(cell, c.operand, 0)}, pattern & 0xffff, k().shaped(c.result.kind, c.result.width)));
            }
            case operand_rule::lane_select: {
                const auto value = operand(cell, c.operand, 0);
                return put(b().define(c.op, {value, lane_operand(c.op)}));
            }
            case operand_rule::none: case operand_rule::atomic: return;
        }
    }

    /// A lane, delta or mask that leads to a lane that exists: what others read is undefined.
    ir::value_id lane_operand(op code) {
        if (code == op::subgroup_broadcast) return k().u32(2);
        const auto wish = b().define(op::bit_and, {b().define(op::mul, {index_, k().u32(5)}), k().u32(3)});
        if (code == op::subgroup_shuffle) return b().define(op::rem, {b().define(op::mul, {index_, k().u32(7)}), live_});
        if (code == op::subgroup_shuffle_up) return b().define(op::min, {wish, lane_});
        if (code == op::subgroup_shuffle_down)
            return b().define(op::min, {wish, b().define(op::sub, {b().define(op::sub, {live_, k().u32(1)}), lane_})});
        return wish;
    }

    cell_kernel result_;
    std::map<std::tuple<shape, unsigned, range>, std::uint32_t> inputs_;
    bool convergent_ = false;
    std::size_t count_ = 0;
    ir::value_id index_, lane_, live_;
};

}  // namespace

std::vector<family> value_families(std::span<const scalar_kind> kinds) {
    std::vector<family> families;
    for (const fuzz::cell& c : fuzz::enumerate_cells(kinds)) {
        const operand_rule rule = ir::info(c.op).operands;
        if (rule == operand_rule::none || rule == operand_rule::atomic) continue;
        const auto same = [&](const family& f) {
            const fuzz::cell& d = f.front();
            return d.op == c.op && d.operand.kind == c.operand.kind && d.result.kind == c.result.kind;
        };
        const auto home = std::ranges::find_if(families, same);
        if (home != families.end()) home->push_back(c);
        else families.push_back({c});
    }
    return families;
}

cell_kernel make_cell_kernel(const family& f, std::uint32_t workgroup_size) {
    return kernel_maker(f, workgroup_size).take();
}

}  // namespace quern::tests
