// Every op × type on every device and lane width against the reference: bits for exact operations in precise mode, the
// bounds of accuracy.def for the others.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dsl/ir/accuracy.hpp"
#include "dsl/ir/float_format.hpp"
#include "tests/conformance/cell_kernel.hpp"
#include "tests/conformance/comparison.hpp"
#include "tests/conformance/every_device.hpp"
#include "tests/conformance/inputs.hpp"
#include "tests/conformance/memory_kernel.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

/// The kinds that devices are held to.
std::span<const ir::scalar_kind> kinds() { return fuzz::default_kinds(); }

/// Kinds that a device must not have.
bool supports(const target_info& t, ir::scalar_kind k) {
    using enum ir::scalar_kind;
    if (k == i8 || k == u8) return t.has(feature::int8);
    if (k == i16 || k == u16) return t.has(feature::int16);
    if (k == i64 || k == u64) return t.has(feature::int64);
    if (k == f16) return t.has(feature::half);
    if (k == bf16) return t.has(feature::bfloat16);
    return k != f64 || t.has(feature::float64);
}

std::string hexadecimal(const bytes& b, ir::scalar_kind k, std::size_t i) { return fmt::format(" {:#x}", scalar_at(b, k, i)); }

/// The first component of a cell that is not acceptable, in words; empty if there is none.
std::string difference(const cell_kernel& k, const cell_buffers& cell, const experiment& got, const experiment& expected) {
    const bytes& g = got.buffers[cell.output];
    const bytes& e = expected.buffers[cell.output];
    const ir::scalar_kind kind = cell.result.kind;
    for (std::size_t i = 0; i < g.size() / ir::size_bytes(kind); ++i) {
        const std::uint64_t value = scalar_at(g, kind, i), wanted = scalar_at(e, kind, i);
        if (acceptable(cell.cell.op, kind, value, wanted)) continue;
        const std::size_t element = i / cell.result.width;
        std::string operands;
        for (const std::uint32_t o : cell.operands) {
            const fuzz::shape s = k.shapes[o];
            const std::size_t component = s.width == cell.result.width ? i % cell.result.width : 0;
            operands += hexadecimal(k.start.buffers[o], s.kind, element * s.width + component);
        }
        if (!cell.operands.empty() && ir::is_float(k.shapes[cell.operands[0]].kind)) {
            const fuzz::shape s = k.shapes[cell.operands[0]];
            const std::size_t component = s.width == cell.result.width ? i % cell.result.width : 0;
            const double x = ir::decode_float(s.kind, scalar_at(k.start.buffers[cell.operands[0]], s.kind, element * s.width + component));
            if (!ir::bound_applies(cell.cell.op, s.kind, x)) continue;
        }
        return fmt::format("element {} component {}: operands{} gave{}, the reference{}{}", element, i % cell.result.width, operands,
                           hexadecimal(g, kind, i), hexadecimal(e, kind, i),
                           ir::is_float(kind) ? fmt::format(", {} ulp apart", ulp_distance(kind, value, wanted)) : "");
    }
    return {};
}

struct tally {
    std::size_t cells = 0, wrong = 0;
};

void check_family(testbed& bed, const family& f, std::uint32_t workgroup_size, tally& t) {
    const cell_kernel k = make_cell_kernel(f, workgroup_size);
    experiment expected = k.start, got = k.start;
    run_on_reference(expected, bed.where().lanes);
    try {
        bed.run(got);
    } catch (const std::exception& e) {
        ++t.wrong;
        FAIL_CHECK(fmt::format("{} on {} at {} lanes: {}", fuzz::to_string(f.front()), bed.where().device, bed.where().lanes, e.what()));
        return;
    }
    for (const cell_buffers& cell : k.cells) {
        ++t.cells;
        const std::string text = difference(k, cell, got, expected);
        if (text.empty()) continue;
        ++t.wrong;
        FAIL_CHECK(fmt::format("{} on {} at {} lanes: {}", fuzz::to_string(cell.cell), bed.where().device, bed.where().lanes, text));
    }
}

void check_memory_kernel(testbed& bed, const memory_kernel& k, tally& t) {
    experiment expected = k.start, got = k.start;
    run_on_reference(expected, bed.where().lanes);
    ++t.cells;
    const std::string where = fmt::format("{} on {} at {} lanes", k.name, bed.where().device, bed.where().lanes);
    try {
        bed.run(got);
    } catch (const std::exception& e) {
        ++t.wrong;
        FAIL_CHECK(where << ": " << e.what());
        return;
    }
    for (std::size_t b = 0; b < got.buffers.size(); ++b) {
        const auto [g, e] = std::ranges::mismatch(got.buffers[b], expected.buffers[b]);
        if (g == got.buffers[b].end()) continue;
        ++t.wrong;
        FAIL_CHECK(fmt::format("{}: buffer {} differs from byte {} on", where, b, g - got.buffers[b].begin()));
        return;
    }
}

}  // namespace

TEST_CASE("Every operation on values gives the reference's results on every device") {
    on_every_device([](testbed& bed) {
        tally t;
        for (const family& f : value_families(kinds())) {
            if (!supports(bed.info(), f.front().operand.kind) || !supports(bed.info(), f.front().result.kind)) continue;
            check_family(bed, f, 64, t);
            if (ir::info(f.front().op).effect == ir::effect::convergent) check_family(bed, f, 20, t);
        }
        WARN(fmt::format("{} at {} lanes: {} cells compared", bed.where().device, bed.where().lanes, t.cells));
        CHECK(t.wrong == 0);
        if (bed.info().has(feature::int64) && bed.info().has(feature::float64)) CHECK(t.cells > 1000);
    });
}

TEST_CASE("Every kind of memory holds every type on every device") {
    on_every_device([](testbed& bed) {
        tally t;
        for (const ir::scalar_kind k : kinds())
            for (std::uint32_t width = 1; width <= 4 && supports(bed.info(), k); ++width)
                for (const memory_kernel& m : make_memory_kernels({k, width})) check_memory_kernel(bed, m, t);
        WARN(fmt::format("{} at {} lanes: {} memory kernels compared", bed.where().device, bed.where().lanes, t.cells));
        CHECK(t.wrong == 0);
        CHECK(t.cells >= 3 * 4 * 5);
    });
}

TEST_CASE("Every atomic gives the reference's results on every device") {
    on_every_device([](testbed& bed) {
        tally t;
        for (const fuzz::cell& c : fuzz::enumerate_cells(kinds())) {
            if (ir::info(c.op).effect != ir::effect::atomic) continue;
            if (ir::size_bytes(c.operand.kind) == 8 && !bed.info().has(feature::atomic_int64)) continue;
            for (const memory_kernel& m : make_atomic_kernels(c.op, c.operand.kind)) check_memory_kernel(bed, m, t);
        }
        for (const ir::scalar_kind k : {ir::scalar_kind::f32, ir::scalar_kind::f64})
            for (const ir::op code : {ir::op::atomic_add, ir::op::atomic_min, ir::op::atomic_max, ir::op::atomic_exchange,
                                      ir::op::atomic_load, ir::op::atomic_store})
                if (bed.info().has(feature::atomic_float) && supports(bed.info(), k))
                    for (const memory_kernel& m : make_atomic_kernels(code, k)) check_memory_kernel(bed, m, t);
        WARN(fmt::format("{} at {} lanes: {} atomic kernels compared", bed.where().device, bed.where().lanes, t.cells));
        CHECK(t.wrong == 0);
        CHECK(t.cells >= 2 * 11);
    });
}

TEST_CASE("Positions and sizes are the reference's on every device") {
    on_every_device([](testbed& bed) {
        tally t;
        for (const memory_kernel& m : make_position_kernels()) check_memory_kernel(bed, m, t);
        CHECK(t.wrong == 0);
        CHECK(t.cells == 3);
    });
}

TEST_CASE("The comparison accepts any NaN for any NaN, and the bound in ulp only where there is one") {
    using enum ir::scalar_kind;
    CHECK(acceptable(ir::op::add, f32, 0x7fc0'0000, 0xffc0'0001));
    CHECK_FALSE(acceptable(ir::op::add, f32, 0x7f80'0000, 0x7fc0'0000));
    CHECK_FALSE(acceptable(ir::op::add, f32, 0x8000'0000, 0));
    CHECK_FALSE(acceptable(ir::op::sin, f32, 0x8000'0000, 0));
    CHECK_FALSE(acceptable(ir::op::add, f32, 0x3f80'0001, 0x3f80'0000));
    CHECK(acceptable(ir::op::sin, f32, 0x3f80'0002, 0x3f80'0000));
    CHECK_FALSE(acceptable(ir::op::sin, f32, 0x3f80'0003, 0x3f80'0000));
    CHECK(ulp_distance(f32, 0x8000'0001, 0x0000'0001) == 2);
    CHECK(ulp_distance(f64, 0x8010'0000'0000'0000, 0x0010'0000'0000'0000) == 0x0020'0000'0000'0000);
}

TEST_CASE("Every conformance kernel writes all of its outputs and runs alike twice") {
    for (const family& f : value_families(kinds())) {
        const cell_kernel k = make_cell_kernel(f, 20);
        experiment once = k.start, again = k.start;
        run_on_reference(once, 4);
        run_on_reference(again, 4);
        REQUIRE(once.buffers == again.buffers);
        for (const cell_buffers& cell : k.cells) {
            INFO(fuzz::to_string(cell.cell));
            const bytes& out = once.buffers[cell.output];
            const std::size_t size = fuzz::size_bytes(cell.result);
            std::size_t unwritten = 0;
            for (std::size_t at = 0; at < out.size(); at += size)
                unwritten += std::equal(out.begin() + static_cast<std::ptrdiff_t>(at),
                                        out.begin() + static_cast<std::ptrdiff_t>(at + size), k.start.buffers[cell.output].begin());
            CHECK(unwritten < out.size() / size / 20);
        }
    }
}
