// The executable meaning of scalar operations against literals: those of the table that scripts/expectations.py derives
// in exact arithmetic, and the edge cases that people look for, by hand.
#include <catch2/catch.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <quern/error.hpp>

#include "dsl/ir/accuracy.hpp"
#include "dsl/ir/evaluate.hpp"
#include "dsl/ir/float_format.hpp"
#include "tests/skip.hpp"
#include "tests/support/folders.hpp"

using namespace quern;
using ir::op;
using enum quern::quern_detail::scalar_kind;

namespace {

std::uint64_t evaluated(op code, ir::scalar_kind kind, std::initializer_list<std::uint64_t> operands) {
    return ir::evaluate(code, kind, kind, std::vector(operands));
}

std::uint64_t cast(ir::scalar_kind to, ir::scalar_kind from, std::uint64_t bits) {
    return ir::evaluate(op::cast, to, from, std::array{bits});
}

std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

struct expectation {
    op code;
    ir::scalar_kind result, operand;
    std::span<const std::uint64_t> numbers;  ///< row after row: operands, then the result
};

std::span<const expectation> expectations() {
    static const auto table = std::to_array<expectation>({
#define QUERN_EXPECT(name, result, operand, ...)                                 \
    {op::name, result, operand, [] {                                             \
         static constexpr auto n = std::to_array<std::uint64_t>({__VA_ARGS__}); \
         return std::span<const std::uint64_t>(n);                               \
     }()},
#include "tests/conformance/expectations.inc"
#undef QUERN_EXPECT
    });
    return table;
}

std::string describe(const expectation& e, std::span<const std::uint64_t> row) {
    std::string text = std::string(ir::info(e.code).name) + " " + std::string(ir::name(e.operand)) + " -> " +
                       std::string(ir::name(e.result)) + ":";
    for (const std::uint64_t n : row) text += " " + Catch::Detail::stringify(n);
    return text;
}

constexpr std::uint64_t f32_nan = 0x7fc0'0000, f32_infinity = 0x7f80'0000, f32_minus_zero = 0x8000'0000;

}  // namespace

TEST_CASE("Every row of the independently derived table is what evaluate yields") {
    std::size_t rows = 0;
    for (const expectation& e : expectations()) {
        const std::size_t width = static_cast<std::size_t>(ir::info(e.code).arity) + 1;
        REQUIRE(e.numbers.size() % width == 0);
        for (std::size_t first = 0; first < e.numbers.size(); first += width, ++rows) {
            const auto row = e.numbers.subspan(first, width);
            const std::uint64_t result = ir::evaluate(e.code, e.result, e.operand, row.first(width - 1));
            if (result == row.back()) continue;
            INFO(describe(e, row));
            CHECK(result == row.back());
        }
    }
    CHECK(rows > 11'000);
}

TEST_CASE("The table covers every scalar operation") {
    std::array<bool, ir::op_count> covered{};
    for (const expectation& e : expectations()) covered[static_cast<std::size_t>(e.code)] = true;
    for (std::size_t i = 0; i < ir::op_count; ++i) {
        const ir::op_info& info = ir::op_table[i];
        using enum ir::operand_rule;
        const bool scalar = info.effect == ir::effect::pure && info.operands != none && info.operands != components &&
                            info.operands != component && info.operands != replacement && info.operands != dynamic &&
                            info.operands != lanes;
        INFO(info.name);
        CHECK(covered[i] == scalar);
    }
}

TEST_CASE("The table of expectations is current") {
    if (std::system("python3 -c 'import decimal' 2>/dev/null") != 0) return tests::skip("no python3");
    CHECK(std::system(("python3 '" + tests::source_folder() + "/scripts/expectations.py' --check").c_str()) == 0);
}

TEST_CASE("The page of error bounds says what the table says") {
    CHECK(std::system(("python3 '" + tests::source_folder() + "/scripts/accuracy.py' --check").c_str()) == 0);
}

TEST_CASE("Integers wrap to their own width") {
    CHECK(evaluated(op::add, i8, {0x7f, 1}) == 0x80);
    CHECK(evaluated(op::mul, u16, {0xffff, 0xffff}) == 1);
    CHECK(evaluated(op::sub, u64, {0, 1}) == 0xffff'ffff'ffff'ffff);
    CHECK(evaluated(op::neg, i32, {0x8000'0000}) == 0x8000'0000);
    CHECK(evaluated(op::abs, i8, {0x80}) == 0x80);
    CHECK(evaluated(op::abs, u8, {0x80}) == 0x80);
}

TEST_CASE("A divisor of zero, or of minus one under the smallest value, counts as one") {
    CHECK(evaluated(op::div, i32, {7, 0}) == 7);
    CHECK(evaluated(op::rem, i32, {7, 0}) == 0);
    CHECK(evaluated(op::div, i64, {0x8000'0000'0000'0000, 0xffff'ffff'ffff'ffff}) == 0x8000'0000'0000'0000);
    CHECK(evaluated(op::rem, i64, {0x8000'0000'0000'0000, 0xffff'ffff'ffff'ffff}) == 0);
    CHECK(evaluated(op::div, i8, {0x80, 0xff}) == 0x80);
    CHECK(evaluated(op::div, u32, {0x8000'0000, 0xffff'ffff}) == 0);
}

TEST_CASE("The remainder of integers has the dividend's sign") {
    CHECK(evaluated(op::rem, i32, {0xffff'fff9, 3}) == 0xffff'ffff);  // -7 % 3 = -1
    CHECK(evaluated(op::rem, i32, {7, 0xffff'fffd}) == 1);            // 7 % -3 = 1
    CHECK(evaluated(op::div, i32, {0xffff'fff9, 2}) == 0xffff'fffd);  // -7 / 2 = -3
}

TEST_CASE("Shift counts are masked to the type's own width") {
    CHECK(evaluated(op::shl, u8, {1, 9}) == 2);
    CHECK(evaluated(op::shr, i8, {0x80, 0xff}) == 0xff);  // count 7
    CHECK(evaluated(op::shl, u32, {1, 32}) == 1);
    CHECK(evaluated(op::shr, u64, {0x8000'0000'0000'0000, 127}) == 1);
    CHECK(evaluated(op::shr, i64, {0x8000'0000'0000'0000, 63}) == 0xffff'ffff'ffff'ffff);
}

TEST_CASE("Counting zeros of zero gives the width") {
    CHECK(evaluated(op::clz, u8, {0}) == 8);
    CHECK(evaluated(op::ctz, i16, {0}) == 16);
    CHECK(evaluated(op::clz, u64, {0}) == 64);
    CHECK(evaluated(op::clz, i16, {1}) == 15);
    CHECK(evaluated(op::reverse_bits, u8, {0x13}) == 0xc8);
}

TEST_CASE("Minimum and maximum drop a NaN and order the zeros") {
    CHECK(evaluated(op::min, f32, {f32_nan, bits_of(1.f)}) == bits_of(1.f));
    CHECK(evaluated(op::max, f32, {bits_of(1.f), f32_nan}) == bits_of(1.f));
    CHECK(evaluated(op::min, f32, {f32_nan, f32_nan}) == f32_nan);
    CHECK(evaluated(op::min, f32, {0, f32_minus_zero}) == f32_minus_zero);
    CHECK(evaluated(op::max, f32, {f32_minus_zero, 0}) == 0);
}

TEST_CASE("Floats convert to integers towards zero, saturate, and turn NaN to zero") {
    CHECK(cast(i32, f32, bits_of(-1.9f)) == 0xffff'ffff);
    CHECK(cast(i32, f32, bits_of(2147483648.f)) == 0x7fff'ffff);
    CHECK(cast(i32, f32, bits_of(-2147483648.f)) == 0x8000'0000);
    CHECK(cast(i32, f64, bits_of(2147483647.9)) == 0x7fff'ffff);
    CHECK(cast(u32, f32, bits_of(-1.f)) == 0);
    CHECK(cast(i64, f64, bits_of(9223372036854775808.0)) == 0x7fff'ffff'ffff'ffff);
    CHECK(cast(u64, f64, bits_of(9223372036854775808.0)) == 0x8000'0000'0000'0000);
    CHECK(cast(u64, f32, f32_infinity) == 0xffff'ffff'ffff'ffff);
    CHECK(cast(u8, f32, bits_of(256.f)) == 0xff);
    CHECK(cast(i32, f32, f32_nan) == 0);
}

TEST_CASE("Integers convert to floats to nearest even, once") {
    CHECK(cast(f32, i32, 16777217) == bits_of(16777216.f));
    CHECK(cast(f32, i32, 16777219) == bits_of(16777220.f));
    CHECK(cast(f32, u64, 0x8000'0080'0000'0001) == bits_of(9223373136366403584.f));  // beside a tie: not by way of double
    CHECK(cast(bf16, u64, 0x8080'0000'0000'0001) == 0x5f01);                         // 2^63 + 2^55 + 1: up
    CHECK(cast(bf16, u64, 0x8080'0000'0000'0000) == 0x5f00);                         // the tie itself: to even
    CHECK(cast(f16, u32, 65519) == 0x7bff);
    CHECK(cast(f16, u32, 65520) == 0x7c00);
    CHECK(cast(f32, boolean, 1) == bits_of(1.f));
}

TEST_CASE("Doubles convert to half without rounding twice") {
    CHECK(cast(f16, f64, bits_of(1.00048828125)) == 0x3c00);               // 1 + 2^-11: a tie, to even
    CHECK(cast(f16, f64, bits_of(0x1.002000001p0)) == 0x3c01);             // just above it; as a float it is the tie
    CHECK(cast(f16, f64, bits_of(0x1p-24)) == 1);                          // smallest subnormal
    CHECK(cast(f16, f64, bits_of(0x1p-25)) == 0);                          // half of it: a tie, to even
    CHECK(cast(f16, f64, bits_of(0x1.0000000001p-25)) == 1);
    CHECK(cast(f16, f64, bits_of(-0x1.ff8p-15)) == 0x83ff);                // largest subnormal, negative
    CHECK(cast(bf16, f64, bits_of(0x1p-133)) == 1);
    CHECK(cast(f64, f16, 0x3555) == bits_of(0.333251953125));
}

TEST_CASE("A fused multiply-add rounds once") {
    CHECK(evaluated(op::fma, f32, {0x3f80'0001, 0x3f7f'fffe, bits_of(-1.f)}) == bits_of(-0x1p-46f));
    CHECK(evaluated(op::fma, bf16, {0x3f88, 0x3f88, 0x0001}) == 0x3f91);  // 289/256 is a tie, the addend breaks it
    CHECK(evaluated(op::fma, bf16, {0x3f88, 0x3f88, 0x0000}) == 0x3f90);
    CHECK(evaluated(op::fma, bf16, {0x3f88, 0x3f88, 0x8001}) == 0x3f90);
}

TEST_CASE("Rounding goes half away, to even, down, up or towards zero as its name says") {
    CHECK(evaluated(op::round, f32, {bits_of(-2.5f)}) == bits_of(-3.f));
    CHECK(evaluated(op::round, f32, {bits_of(0.49999997f)}) == bits_of(0.f));
    CHECK(evaluated(op::rint, f32, {bits_of(2.5f)}) == bits_of(2.f));
    CHECK(evaluated(op::rint, f32, {bits_of(-0.5f)}) == f32_minus_zero);
    CHECK(evaluated(op::ceil, f32, {bits_of(-0.5f)}) == f32_minus_zero);
    CHECK(evaluated(op::trunc, f64, {bits_of(-2.7)}) == bits_of(-2.0));
    CHECK(evaluated(op::floor, f64, {bits_of(-0.1)}) == bits_of(-1.0));
}

TEST_CASE("Comparisons with NaN are false but for ne") {
    const auto compared = [](op code) {
        return ir::evaluate(code, boolean, f32, std::array<std::uint64_t, 2>{f32_nan, f32_nan});
    };
    for (const op code : {op::eq, op::lt, op::le, op::gt, op::ge}) CHECK(compared(code) == 0);
    CHECK(compared(op::ne) == 1);
    CHECK(ir::evaluate(op::lt, boolean, i32, std::array<std::uint64_t, 2>{0xffff'ffff, 0}) == 1);
    CHECK(ir::evaluate(op::lt, boolean, u32, std::array<std::uint64_t, 2>{0xffff'ffff, 0}) == 0);
}

TEST_CASE("What is no scalar operation is refused") {
    CHECK_THROWS_AS(evaluated(op::load, f32, {}), internal_error);
    CHECK_THROWS_AS(evaluated(op::swizzle, f32, {1}), internal_error);
    CHECK_THROWS_AS(evaluated(op::add, f32, {1}), internal_error);
}

TEST_CASE("Exact operations are those without an error bound") {
    for (const op code : {op::add, op::div, op::sqrt, op::fma, op::fmod, op::rint, op::cast, op::min, op::nextafter})
        CHECK(ir::is_exact(code));
    for (const op code : {op::sin, op::pow, op::rsqrt, op::tgamma, op::subgroup_add}) CHECK_FALSE(ir::is_exact(code));
    CHECK(ir::max_ulp(op::sin, f32) == 2u);
    CHECK(ir::max_ulp(op::pow, f64) == 2u);
    CHECK(ir::max_ulp(op::add, f32) == 0u);
    CHECK(ir::max_ulp(op::subgroup_add, i32) == 0u);
    CHECK(ir::max_ulp(op::subgroup_add, f32) == std::nullopt);
}
