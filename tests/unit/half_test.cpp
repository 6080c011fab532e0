// The host's half and bfloat16 against literals, against every value's neighbours, and against the compiler's own
// 16-bit float.
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>

#include <quern/half.hpp>

using quern::bfloat16;
using quern::half;

namespace {

template <class N>
constexpr unsigned half_bits(N n) { return half(n).bits(); }
template <class N>
constexpr unsigned bfloat16_bits(N n) { return bfloat16(n).bits(); }

/// Where the compiler has no such type, the neighbours below are the oracle alone.
#ifdef __FLT16_MANT_DIG__
unsigned compilers_half(double x) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x)); }
unsigned compilers_half(float x) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x)); }
#else
unsigned compilers_half(double x) { return half(x).bits(); }
unsigned compilers_half(float x) { return half(x).bits(); }
#endif

/// Counts positive numbers of Small at which a double just below, at and just above the middle to the next one is
/// rounded wrongly; the step past the largest finite number goes to infinity.
template <class Small>
int wrong_middles() {
    const unsigned infinity = std::numeric_limits<Small>::infinity().bits();
    int wrong = 0;
    for (unsigned bits = 0; bits < infinity; ++bits) {
        const double low = static_cast<double>(float(Small::from_bits(static_cast<std::uint16_t>(bits))));
        const double below = bits == 0 ? -static_cast<double>(float(Small::from_bits(1)))
                                       : static_cast<double>(float(Small::from_bits(static_cast<std::uint16_t>(bits - 1))));
        const double high = bits + 1 < infinity ? static_cast<double>(float(Small::from_bits(static_cast<std::uint16_t>(bits + 1))))
                                                : low + (low - below);
        const double middle = low + (high - low) / 2;
        const unsigned even = bits % 2 == 0 ? bits : bits + 1;
        for (const unsigned sign : {0u, 0x8000u}) {
            const double s = sign != 0 ? -1 : 1;
            wrong += Small(s * middle).bits() != (even | sign);
            wrong += Small(s * std::nextafter(middle, 0.0)).bits() != (bits | sign);
            wrong += Small(s * std::nextafter(middle, HUGE_VAL)).bits() != ((bits + 1) | sign);
            if (static_cast<double>(static_cast<float>(middle)) == middle)
                wrong += Small(static_cast<float>(s * middle)).bits() != (even | sign);
        }
    }
    return wrong;
}

/// Numbers whose way to float and back changes them.
template <class Small>
int changed_on_the_way_back() {
    int changed = 0;
    for (unsigned bits = 0; bits < 0x1'0000; ++bits) {
        const Small number = Small::from_bits(static_cast<std::uint16_t>(bits));
        const float wide = number;
        if (std::isnan(wide)) changed += !std::isnan(float(Small(wide))) || Small(wide).bits() >> 15 != bits >> 15;
        else changed += Small(wide).bits() != bits || Small(static_cast<double>(wide)).bits() != bits;
    }
    return changed;
}

}  // namespace

TEST_CASE("half and bfloat16 have their formats' bits") {
    static_assert(sizeof(half) == 2 && alignof(half) == 2 && std::is_trivially_copyable_v<half>);
    static_assert(half_bits(1.f) == 0x3c00 && half_bits(-2.f) == 0xc000 && half_bits(65504) == 0x7bff);
    static_assert(half_bits(0x1p-24f) == 1 && half_bits(0x1p-14f) == 0x0400 && half_bits(-0.f) == 0x8000);
    static_assert(bfloat16_bits(1.f) == 0x3f80 && bfloat16_bits(-2.f) == 0xc000 && bfloat16_bits(3.140625) == 0x4049);
    CHECK(float(half::from_bits(0x3555)) == 0.333251953125f);
    CHECK(float(half::from_bits(0x0001)) == 0x1p-24f);
    CHECK(float(half::from_bits(0x83ff)) == -0x1.ff8p-15f);
    CHECK(float(bfloat16::from_bits(0x0001)) == 0x1p-133f);
    CHECK(float(half::from_bits(0xfc00)) == -std::numeric_limits<float>::infinity());
}

TEST_CASE("a number is rounded once, whatever it comes from") {
    CHECK(half_bits(65519) == 0x7bff);
    CHECK(half_bits(65520) == 0x7c00);
    CHECK(half_bits(65519.99) == 0x7bff);
    CHECK(half_bits(1.00048828125) == 0x3c00);     // 1 + 2^-11: a tie, to even
    CHECK(half_bits(0x1.002000001p0) == 0x3c01);   // just above it; as a float it is the tie
    CHECK(half_bits(0x1p-25) == 0);
    CHECK(half_bits(0x1.0000000001p-25) == 1);
    CHECK(half_bits(-1'000'000'000'000) == 0xfc00);
    CHECK(bfloat16_bits(0x8080'0000'0000'0000u) == 0x5f00);  // 2^63 + 2^55: a tie, to even
    CHECK(bfloat16_bits(0x8080'0000'0000'0001u) == 0x5f01);  // as a double it is the tie
    CHECK(bfloat16_bits(std::numeric_limits<std::int64_t>::min()) == 0xdf00);
    CHECK(bfloat16_bits(std::numeric_limits<double>::max()) == 0x7f80);
    CHECK(half_bits(5e-324) == 0);
    CHECK(half(bfloat16(0x1.01p-20f)).bits() == half_bits(0x1.00p-20f));
    CHECK(bfloat16(half(1.00390625f)).bits() == 0x3f80);  // 1 + 2^-8: a tie, to even
}

TEST_CASE("all 65 536 values survive the way to float and back, NaN as NaN of its sign") {
    CHECK(changed_on_the_way_back<half>() == 0);
    CHECK(changed_on_the_way_back<bfloat16>() == 0);
}

TEST_CASE("between every two neighbours the middle goes to the even one, and what is beside it to the nearer one") {
    CHECK(wrong_middles<half>() == 0);
    CHECK(wrong_middles<bfloat16>() == 0);
}

TEST_CASE("random floats and doubles round as the compiler's own half does") {
    std::mt19937_64 random(7);
    int wrong = 0;
    for (int i = 0; i < 2'000'000; ++i) {
        const auto bits = random();
        const float f = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        if (!std::isnan(f)) wrong += half(f).bits() != compilers_half(f);
        const double d = std::ldexp(1 + static_cast<double>(bits >> 12) * 0x1p-52, static_cast<int>(bits % 44) - 27);
        wrong += half(d).bits() != compilers_half(d);
    }
    CHECK(wrong == 0);
}

TEST_CASE("arithmetic rounds after every operation, comparisons follow the numbers") {
    CHECK((half(2048) + half(1)).bits() == half_bits(2048));
    CHECK((half(2048) + half(3)).bits() == half_bits(2052));
    CHECK((half(1) / half(3)).bits() == 0x3555);
    CHECK((half(300) * half(300)).bits() == 0x7c00);
    CHECK((-half(0)).bits() == 0x8000);
    half h(1.5f);
    h += half(2);
    h *= half(2);
    CHECK(h == half(7));
    CHECK(h == 7.f);
    CHECK(h < half(7.5f));
    CHECK(half(0) == half(-0.f));
    CHECK_FALSE(half(NAN) == half(NAN));
    CHECK(h * 0.5f == 3.5f);  // beside a float it is one
}

TEST_CASE("numeric_limits knows the formats") {
    using h = std::numeric_limits<half>;
    using b = std::numeric_limits<bfloat16>;
    static_assert(h::max() == half(65504) && h::lowest() == half(-65504) && h::digits == 11 && b::digits == 8);
    static_assert(h::max_exponent == 16 && h::min_exponent == -13 && b::max_exponent == 128 && b::min_exponent == -125);
    static_assert(h::digits10 == 3 && h::max_digits10 == 5 && b::digits10 == 2 && b::max_digits10 == 4);
    static_assert(h::max_exponent10 == 4 && h::min_exponent10 == -4 && b::max_exponent10 == 38 && b::min_exponent10 == -37);
    CHECK(float(h::min()) == 0x1p-14f);
    CHECK(float(h::denorm_min()) == 0x1p-24f);
    CHECK(float(h::epsilon()) == 0x1p-10f);
    CHECK(float(b::max()) == 0x1.fep127f);
    CHECK(float(b::min()) == std::numeric_limits<float>::min());
    CHECK(std::isinf(float(h::infinity())));
    CHECK(std::isnan(float(h::quiet_NaN())));
    CHECK(std::isnan(float(b::signaling_NaN())));
}
