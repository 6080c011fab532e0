// Long runs of the accuracy measurements, by hand: quern-tests "[accuracy-sweep]". QUERN_SWEEP names functions separated by
// commas (all by default); QUERN_SWEEP_STEP is the distance of float arguments (1: all 2^32; 64 by default).
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dsl/ir/accuracy.hpp"
#include "tests/conformance/function_runner.hpp"
#include "tests/fuzz/random_stream.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

struct wide_function {
    ir::op code;
    double (*one)(double);
    double (*two)(double, double);
    long double (*one_long)(long double);
    long double (*two_long)(long double, long double);
};

constexpr wide_function wide_functions[] = {
#define QUERN_UNARY(name) {ir::op::name, [](double x) { return std::name(x); }, nullptr, [](long double x) { return std::name(x); }, nullptr},
#define QUERN_BINARY(name) {ir::op::name, nullptr, [](double x, double y) { return std::name(x, y); }, nullptr, [](long double x, long double y) { return std::name(x, y); }},
    QUERN_UNARY(cbrt) QUERN_UNARY(exp) QUERN_UNARY(exp2) QUERN_UNARY(expm1) QUERN_UNARY(log) QUERN_UNARY(log2)
    QUERN_UNARY(log10) QUERN_UNARY(log1p) QUERN_UNARY(sin) QUERN_UNARY(cos) QUERN_UNARY(tan) QUERN_UNARY(asin)
    QUERN_UNARY(acos) QUERN_UNARY(atan) QUERN_UNARY(sinh) QUERN_UNARY(cosh) QUERN_UNARY(tanh) QUERN_UNARY(asinh)
    QUERN_UNARY(acosh) QUERN_UNARY(atanh) QUERN_UNARY(erf) QUERN_UNARY(erfc) QUERN_UNARY(tgamma) QUERN_UNARY(lgamma)
    QUERN_BINARY(pow) QUERN_BINARY(atan2) QUERN_BINARY(hypot) QUERN_BINARY(fmod) QUERN_BINARY(remainder)
#undef QUERN_UNARY
#undef QUERN_BINARY
    {ir::op::rsqrt, [](double x) { return 1 / std::sqrt(x); }, nullptr, [](long double x) { return 1 / std::sqrt(x); }, nullptr},
};

struct worst {
    double error = 0;
    double at = 0, at_second = 0, got = 0, exact = 0;
    std::uint64_t special = 0, wrong = 0;

    template <class T, class Wide>
    void add(T x, T y, T value, Wide expected, bool bounded = true) {
        const T rounded = static_cast<T>(expected);
        const auto note = [&](double e) {
            if (e <= error) return;
            error = e, at = static_cast<double>(x), at_second = static_cast<double>(y);
            got = static_cast<double>(value), exact = static_cast<double>(expected);
        };
        if (std::isnan(rounded) || std::isnan(value)) {
            if (std::isnan(rounded) != std::isnan(value)) ++wrong, note(1e9);
            return;
        }
        if (rounded == 0 && value == 0) {
            if (std::signbit(rounded) != std::signbit(value)) ++wrong, note(1e8);
            return;
        }
        if (!bounded || value == rounded) {
            if (std::isinf(rounded)) return;
        }
        if (!bounded) return;
        Wide v = value, e = expected;
        const T limit = std::numeric_limits<T>::max();
        if (std::isinf(value)) v = std::copysign(std::ldexp(Wide(1), std::numeric_limits<T>::max_exponent), v);
        if (std::fabs(e) > static_cast<Wide>(limit)) {
            if (std::isinf(value) && std::isinf(rounded)) return;
            if (std::isinf(e)) e = std::copysign(std::ldexp(Wide(1), std::numeric_limits<T>::max_exponent), e);
        }
        int exponent = 0;
        std::frexp(e, &exponent);
        exponent = std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits;
        note(static_cast<double>(std::fabs(v - e) / std::ldexp(Wide(1), exponent)));
    }
};

bool wanted(ir::op code) {
    const char* names = std::getenv("QUERN_SWEEP");
    return names == nullptr || ("," + std::string(names) + ",").find("," + std::string(ir::info(code).name) + ",") != std::string::npos;
}

std::uint64_t step() {
    const char* text = std::getenv("QUERN_SWEEP_STEP");
    return text ? std::strtoull(text, nullptr, 10) : 64;
}

std::uint32_t lanes() {
    const char* text = std::getenv("QUERN_SWEEP_LANES");
    return text ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : 16;
}

void report(ir::op code, ir::scalar_kind k, const worst& w, std::uint64_t count) {
    fmt::print("{:10} {}: {:.4g} ulp at {:a} ({:.9g}) {:a}: {:a}, exact {:a}; {} arguments, {} special values wrong\n", ir::info(code).name,
               k == ir::scalar_kind::f32 ? "f32" : "f64", w.error, w.at, w.at, w.at_second, w.got, w.exact, count, w.wrong);
    std::fflush(stdout);
    CHECK(w.wrong == 0);
    CHECK(w.error < ir::max_ulp(code, k).value_or(0) + 0.5);
}

}  // namespace

TEST_CASE("Unary float functions keep their bounds over all floats", "[.][accuracy-sweep]") {
    for (const wide_function& f : wide_functions) {
        if (!wanted(f.code) || !f.one) continue;
        function_runner runner(f.code, ir::scalar_kind::f32, lanes());
        constexpr std::size_t batch = 1 << 20;
        std::vector<float> x(batch), y(batch);
        worst w;
        std::uint64_t count = 0;
        for (std::uint64_t at = 0; at < std::uint64_t{1} << 32; at += batch * step()) {
            for (std::size_t i = 0; i < batch; ++i) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(at + i * step()));
            runner.run<float>(x, {}, {}, y);
            for (std::size_t i = 0; i < batch; ++i)
                w.add(x[i], 0.f, y[i], f.one(static_cast<double>(x[i])), ir::bound_applies(f.code, ir::scalar_kind::f32, static_cast<double>(x[i])));
            count += batch;
        }
        report(f.code, ir::scalar_kind::f32, w, count);
    }
}

namespace {

template <class T>
T random_argument(fuzz::random_stream& random) {
    const auto unit = [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
    const std::uint64_t raw = random.next();
    switch (random.below(8)) {
        case 0: if constexpr (sizeof(T) == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(raw)); else return std::bit_cast<double>(raw);
        case 1: return static_cast<T>((unit() * 2 - 1) * 1000);
        case 2: return static_cast<T>(1 + (unit() * 2 - 1) * std::ldexp(1.0, -static_cast<int>(random.below(40))));
        case 3: return static_cast<T>((unit() * 2 - 1) * std::ldexp(1.0, static_cast<int>(random.below(100)) - 50));
        case 4: return static_cast<T>((unit() * 2 - 1) * 2);
        case 5: return static_cast<T>((unit() * 2 - 1) * 40);
        case 6: return static_cast<T>(static_cast<double>(random.below(200000)) * 0.78539816339744831 * (random.below(2) ? 1 : -1));
        default: return static_cast<T>(static_cast<double>(random.below(400)) * 0.5 - 100);
    }
}

template <class T>
void sweep_random(const wide_function& f, ir::scalar_kind k) {
    function_runner runner(f.code, k, lanes());
    constexpr std::size_t batch = 1 << 16;
    fuzz::random_stream random(7);
    std::vector<T> x(batch), y(batch), z(batch);
    worst w;
    std::uint64_t count = 0;
    for (std::uint64_t n = 0; n < (std::uint64_t{1} << 24) / step(); n += batch) {
        for (std::size_t i = 0; i < batch; ++i) x[i] = random_argument<T>(random), y[i] = random_argument<T>(random);
        runner.run<T>(x, y, {}, z);
        for (std::size_t i = 0; i < batch; ++i) {
            const long double expected = f.one_long ? f.one_long(x[i]) : f.two_long(x[i], y[i]);
            w.add(x[i], y[i], z[i], expected, ir::bound_applies(f.code, k, static_cast<double>(x[i])));
        }
        count += batch;
    }
    report(f.code, k, w, count);
}

}  // namespace

TEST_CASE("Double functions and those of two floats keep their bounds for random arguments", "[.][accuracy-sweep]") {
    for (const wide_function& f : wide_functions) {
        if (!wanted(f.code)) continue;
        sweep_random<double>(f, ir::scalar_kind::f64);
        if (f.two) sweep_random<float>(f, ir::scalar_kind::f32);
    }
}
