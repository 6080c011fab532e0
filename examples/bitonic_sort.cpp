// A sorting network of any length, generic over the keys' type; the order is an enum that the kernel matches on. All
// passes run on the device; nothing comes back before the end.
#include <quern/quern.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/program.hpp"

enum class sort_order { ascending, descending };
QUERN_ENUM(sort_order, ascending, descending);

using namespace quern;

/// An integer in the order of the keys. Floats: by value, -0 before 0, NaN after everything else.
auto rank(const traced auto& key) {
    val k = key;
    if constexpr (traced_floating<decltype(k)>) {
        val bits = bit_cast<int>(k);  // negative floats count downwards: flip all bits but the sign
        return val<int>(select(k != k, std::numeric_limits<int>::max(), bits ^ ((bits >> 31) & 0x7fff'ffff)));
    } else {
        return k;
    }
}

/// One pass: pair p compares two elements. The lower of them is `distance` away from the higher one, or mirrored within
/// its block. In this form of the network the smaller key always goes down, so an element past the end would stay
/// where it is, and is left out.
template <class Key>
kernel sort_pass{"bitonic_sort", [](inout<Key> keys, val<sort_order> order, val<uint> distance, val<uint> partner) {
    val pair = global_id();
    val low = pair + (pair & ~(distance - 1u));  // the pair's number with a 0 inserted at the bit of distance
    val high = low ^ partner;
    if_(high < keys.size(), [&] {
        val a = keys[low], b = keys[high];
        var wrong = false;
        match(order,
              when<sort_order::ascending>([&] { wrong = rank(b) < rank(a); }),
              when<sort_order::descending>([&] { wrong = rank(a) < rank(b); }));
        if_(wrong, [&] {
            keys[low] = b;
            keys[high] = a;
        });
    });
}};

template <class Key>
void sort(const device& gpu, const buffer<Key>& keys, sort_order order) {
    const std::size_t n = keys.size(), pairs = std::bit_ceil(n) / 2;
    for (std::size_t block = 2; block / 2 < n; block *= 2)
        for (std::size_t distance = block / 2; distance > 0; distance /= 2)
            gpu.launch(sort_pass<Key>, over{pairs}, keys, order, distance,
                       distance == block / 2 ? block - 1 : distance);
}

/// As floats: NaN, 0 and infinity, of both signs.
constexpr uint special_bits[] = {0x7fc0'0000, 0xffc0'0000, 0, 0x8000'0000, 0x7f80'0000, 0xff80'0000};

/// Sorts n keys of random and special bits on the device, in so much time. Returns what is wrong with the result.
template <class Key>
std::string try_sort(const device& gpu, std::size_t n, sort_order order, double& ms) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = std::bit_cast<Key>(i % 8 == 7 ? special_bits[i / 8 % 6] : static_cast<uint>(random()));
    const buffer<Key> b = gpu.upload(keys);

    const examples::stopwatch watch;
    sort(gpu, b, order);
    gpu.synchronize();
    ms = watch.ms();

    std::vector<Key> sorted = b.download();
    const auto comes_before = [&](Key x, Key y) {
        if (order == sort_order::descending) std::swap(x, y);
        if constexpr (std::is_floating_point_v<Key>) {
            if (std::isnan(x) || std::isnan(y)) return !std::isnan(x);
            if (x == y) return std::signbit(x) && !std::signbit(y);
        }
        return x < y;
    };
    if (!std::is_sorted(sorted.begin(), sorted.end(), comes_before)) return "the keys are not in order";
    const auto bits_before = [](Key x, Key y) { return std::bit_cast<uint>(x) < std::bit_cast<uint>(y); };
    std::sort(keys.begin(), keys.end(), bits_before);
    std::sort(sorted.begin(), sorted.end(), bits_before);
    const auto same_bits = [](Key x, Key y) { return std::bit_cast<uint>(x) == std::bit_cast<uint>(y); };
    return std::ranges::equal(keys, sorted, same_bits) ? "" : "the result is no permutation of the keys";
}

int main(int argc, char** argv) {
    std::size_t n = 1 << 22;
    examples::program program{"bitonic_sort", "sorts uint, int and float keys in both orders"};
    program.option("--size", n, "keys; shorter arrays are sorted as well");
    return program.run(argc, argv, sort_pass<float>, [&](const device& gpu) -> examples::outcome {
        double ms = 0;
        std::string mistake;
        for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
            for (const std::size_t length : {std::size_t{1}, std::size_t{2}, n / 100, n}) {
                for (const auto attempt : {try_sort<uint>, try_sort<int>, try_sort<float>}) {
                    double attempt_ms = 0;
                    const std::string wrong = attempt(gpu, length, order, attempt_ms);
                    if (mistake.empty()) mistake = wrong;
                    if (length == n) ms += attempt_ms / 6;
                }
            }
        }
        return {std::to_string(n) + " keys of uint, int and float", ms, "order and permutation, NaN last", mistake};
    });
}
