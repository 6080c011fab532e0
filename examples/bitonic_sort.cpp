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
        using key_type = value_type_of<decltype(k)>;
        using integer = std::conditional_t<sizeof(key_type) == sizeof(half), std::int16_t, int>;
        constexpr integer most = std::numeric_limits<integer>::max();
        val bits = bit_cast<integer>(k);  // negative floats count downwards: flip all bits but the sign
        return val<integer>(select(k != k, most, bits ^ ((bits >> std::numeric_limits<integer>::digits) & most)));
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

/// NaN, 0 and infinity, of both signs.
constexpr float special_keys[] = {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(), 0.f, -0.f,
                                  std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};

template <class Key>
auto bits_of(Key key) {
    return std::bit_cast<std::conditional_t<sizeof(Key) == sizeof(half), std::uint16_t, uint>>(key);
}

/// Random bits; every eighth floating key is a special one.
template <class Key>
Key random_key(uint bits, std::size_t i) {
    if constexpr (!std::is_integral_v<Key>)
        if (i % 8 == 7) return static_cast<Key>(special_keys[i / 8 % 6]);
    return std::bit_cast<Key>(static_cast<decltype(bits_of(Key()))>(bits));
}

/// Sorts n keys of random and special bits on the device, in so much time. Returns what is wrong with the result.
template <class Key>
std::string try_sort(const device& gpu, std::size_t n, sort_order order, double& ms) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = random_key<Key>(static_cast<uint>(random()), i);
    const buffer<Key> b = gpu.upload(keys);

    const examples::stopwatch watch;
    sort(gpu, b, order);
    gpu.synchronize();
    ms = watch.ms();

    std::vector<Key> sorted = b.download();
    const auto comes_before = [&](Key x, Key y) {
        if (order == sort_order::descending) std::swap(x, y);
        if constexpr (!std::is_integral_v<Key>) {
            const float a = x, b = y;
            if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
            if (a == b) return std::signbit(a) && !std::signbit(b);
        }
        return x < y;
    };
    if (!std::is_sorted(sorted.begin(), sorted.end(), comes_before)) return "the keys are not in order";
    const auto bits_before = [](Key x, Key y) { return bits_of(x) < bits_of(y); };
    std::sort(keys.begin(), keys.end(), bits_before);
    std::sort(sorted.begin(), sorted.end(), bits_before);
    const auto same_bits = [](Key x, Key y) { return bits_of(x) == bits_of(y); };
    return std::ranges::equal(keys, sorted, same_bits) ? "" : "the result is no permutation of the keys";
}

int main(int argc, char** argv) {
    std::size_t n = 1 << 22;
    examples::program program{"bitonic_sort", "sorts uint, int, half and float keys in both orders"};
    program.option("--size", n, "keys; shorter arrays are sorted as well");
    return program.run(argc, argv, sort_pass<float>, [&](const device& gpu) -> examples::outcome {
        double ms = 0;
        std::string mistake;
        for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
            for (const std::size_t length : {std::size_t{1}, std::size_t{2}, n / 100, n}) {
                for (const auto attempt : {try_sort<uint>, try_sort<int>, try_sort<half>, try_sort<float>}) {
                    double attempt_ms = 0;
                    const std::string wrong = attempt(gpu, length, order, attempt_ms);
                    if (mistake.empty()) mistake = wrong;
                    if (length == n) ms += attempt_ms / 8;
                }
            }
        }
        return {std::to_string(n) + " keys of uint, int, half and float", ms, "order and permutation, NaN last", mistake};
    });
}
