#include <algorithm>
#include <cmath>
#include <limits>

#include "array.hpp"
#include "contest.hpp"

namespace bench {
namespace {

using namespace quern;

/// The normal distribution (Abramowitz and Stegun 26.2.17, error below 7.5e-8).
auto normal_distribution(const traced auto& argument) {
    val d = argument;
    val k = 1.f / (1.f + 0.2316419f * abs(d));
    val tail = 0.39894228f * exp(-0.5f * d * d) * k *
        (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return val<float>(select(d > 0.f, 1.f - tail, tail));
}

/// Prices of European options; a year is 1.
kernel black_scholes_kernel{"black_scholes", [](out<float> call, out<float> put, in<float> price, in<float> strike,
                                                in<float> years, val<float> rate, val<float> volatility) {
    val i = global_id();
    val s = price[i], x = strike[i], t = years[i];
    val deviation = volatility * sqrt(t);
    val d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / deviation;
    val n1 = normal_distribution(d1), n2 = normal_distribution(d1 - deviation);
    val discounted = x * exp(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.f - n2) - s * (1.f - n1);
}};

constexpr std::size_t n = std::size_t{4} << 20;

class black_scholes final : public contest {
public:
    black_scholes() : price_(n), strike_(n), years_(n), call_(n), put_(n) {
        fill_uniformly(price_, 5, 30, 6);
        fill_uniformly(strike_, 1, 100, 7);
        fill_uniformly(years_, 0.25f, 10, 8);
    }

    double work() const override { return 20. * n; }
    void reset() override {
        std::fill(call_.begin(), call_.end(), std::numeric_limits<float>::quiet_NaN());
        std::fill(put_.begin(), put_.end(), std::numeric_limits<float>::quiet_NaN());
    }
    void run(const loops& l, crew& c) override {
        c.share(n, n / 64, [&](std::size_t first, std::size_t last) {
            l.black_scholes(call_.data(), put_.data(), price_.data(), strike_.data(), years_.data(), first, last);
        });
    }
    void attach(const device& d) override {
        const array<float>* arrays[] = {&call_, &put_, &price_, &strike_, &years_};
        for (std::size_t i = 0; i < 5; ++i) buffers_[i] = arrays[i]->on(d);
    }
    void run(const device& d) override {
        const auto& [call, put, price, strike, years] = buffers_;
        d.launch(black_scholes_kernel, over{n}, call, put, price, strike, years, market_rate, market_volatility);
    }
    static void prepare(const device& d) { black_scholes_kernel.prepare(d, over{n}); }

    std::vector<float> results() const override {
        std::vector<float> r(call_.begin(), call_.end());
        r.insert(r.end(), put_.begin(), put_.end());
        return r;
    }
    std::vector<double> expected() const override {
        const double rate = double(market_rate), volatility = double(market_volatility);
        const auto normal = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.)); };
        std::vector<double> e(2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const double s = double(price_[i]), x = double(strike_[i]), t = double(years_[i]);
            const double deviation = volatility * std::sqrt(t);
            const double d1 = (std::log(s / x) + (rate + 0.5 * volatility * volatility) * t) / deviation;
            const double d2 = d1 - deviation, discounted = x * std::exp(-rate * t);
            e[i] = s * normal(d1) - discounted * normal(d2);
            e[n + i] = discounted * normal(-d2) - s * normal(-d1);
        }
        return e;
    }
    /// Prices of up to 100 are differences of terms that size, whose distribution is good to 7.5e-8 and rounding.
    tolerance allowed() const override { return {.absolute = 1e-4}; }

private:
    array<float> price_, strike_, years_, call_, put_;
    buffer<float> buffers_[5];
};

const register_row<black_scholes> registered{"Black-Scholes 4 Mi", unit::bytes};

}  // namespace
}  // namespace bench
