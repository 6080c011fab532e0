#include "backends/reference/subgroup.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <quern/error.hpp>

#include "dsl/ir/evaluate.hpp"

namespace quern::reference {
namespace {

using ir::op;
using lane_span = std::span<invocation* const>;

/// One convergent value that is being computed.
struct exchange_of {
    const decoded_kernel& kernel;
    ir::value_id value;
    lane_span lanes;

    ir::value_id operand(std::size_t i) const { return kernel.module().operands_of(value)[i]; }
    std::uint32_t components() const { return kernel[value].components; }
    ir::scalar_kind kind() const { return kernel[value].operand; }

    std::uint64_t combine(op code, std::uint64_t a, std::uint64_t b) const {
        const std::array bits{a, b};
        return ir::evaluate(code, kind(), kind(), bits);
    }

    /// Every lane gets all lanes' values combined, lowest lane first.
    void reduce(op code) const {
        for (std::uint32_t c = 0; c < components(); ++c) {
            std::uint64_t total = lanes[0]->registers(operand(0))[c];
            for (invocation* i : lanes.subspan(1)) total = combine(code, total, i->registers(operand(0))[c]);
            for (invocation* i : lanes) i->registers(value)[c] = total;
        }
    }

    enum class bound : std::uint8_t { inclusive, exclusive };
    void scan_sum(bound b) const {
        for (std::uint32_t c = 0; c < components(); ++c) {
            std::uint64_t sum = 0;  // +0 of every kind
            bool first = true;
            for (invocation* i : lanes) {
                const std::uint64_t own = i->registers(operand(0))[c];
                const std::uint64_t with_own = first ? own : combine(op::add, sum, own);
                i->registers(value)[c] = b == bound::inclusive ? with_own : sum;
                sum = with_own;
                first = false;
            }
        }
    }

    /// Every lane gets operand 0 of the lane that `source(own lane, operand 1)` names, or 0 if that one is off.
    template <class Source>
    void move(Source source) const {
        for (invocation* to : lanes) {
            const std::uint64_t wanted = source(std::uint64_t{to->lane()}, *to->registers(operand(1)));
            const auto from = std::ranges::find(lanes, wanted, [](invocation* i) { return std::uint64_t{i->lane()}; });
            for (std::uint32_t c = 0; c < components(); ++c)
                to->registers(value)[c] = from == lanes.end() ? 0 : (*from)->registers(operand(0))[c];
        }
    }

    /// One bit a lane, spread over the result's components from the lowest on.
    void ballot() const {
        const std::uint32_t width = ir::bit_width(kernel[value].result);
        for (invocation* to : lanes) {
            std::fill_n(to->registers(value), components(), 0);
            for (invocation* i : lanes)
                if (*i->registers(operand(0)) != 0 && i->lane() / width < components())
                    to->registers(value)[i->lane() / width] |= std::uint64_t{1} << i->lane() % width;
        }
    }
};

}  // namespace

void exchange(const decoded_kernel& k, ir::value_id v, lane_span lanes) {
    const exchange_of e{k, v, lanes};
    const op code = k[v].op;
    if (code == op::subgroup_add) return e.reduce(op::add);
    if (code == op::subgroup_mul) return e.reduce(op::mul);
    if (code == op::subgroup_min) return e.reduce(op::min);
    if (code == op::subgroup_max) return e.reduce(op::max);
    if (code == op::subgroup_and || code == op::subgroup_all) return e.reduce(op::bit_and);
    if (code == op::subgroup_or || code == op::subgroup_any) return e.reduce(op::bit_or);
    if (code == op::subgroup_xor) return e.reduce(op::bit_xor);
    if (code == op::subgroup_inclusive_add) return e.scan_sum(exchange_of::bound::inclusive);
    if (code == op::subgroup_exclusive_add) return e.scan_sum(exchange_of::bound::exclusive);
    if (code == op::subgroup_broadcast || code == op::subgroup_shuffle)
        return e.move([](std::uint64_t, std::uint64_t lane) { return lane; });
    if (code == op::subgroup_shuffle_xor) return e.move([](std::uint64_t own, std::uint64_t mask) { return own ^ mask; });
    if (code == op::subgroup_shuffle_up) return e.move([](std::uint64_t own, std::uint64_t delta) { return own - delta; });
    if (code == op::subgroup_shuffle_down)
        return e.move([](std::uint64_t own, std::uint64_t delta) { return own + delta; });
    if (code == op::subgroup_ballot) return e.ballot();
    throw internal_error(fmt::format("reference: {} is no exchange; please report this with the IR dump",
                                     ir::info(code).name));
}

}  // namespace quern::reference
