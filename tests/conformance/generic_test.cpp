// Generic code on every device: one source of a sort, a reduction and a blur for several types, with functions that return
// several values, lambdas that are passed on, and recursion while tracing. The same source's host form is the oracle.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include <quern/quern.hpp>

#include "tests/conformance/every_device.hpp"
#include "tests/support/tracing.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

enum class flow : std::int16_t { in = -300, through = 0, out = 300 };
QUERN_ENUM(flow, in, through, out);

constexpr std::size_t group = 32, elements = 4 * group;

template <class T>
bytes bytes_of(const std::vector<T>& v) {
    const auto s = std::as_bytes(std::span(v));
    return {s.begin(), s.end()};
}

template <class T>
struct ordered_pair {
    val<T> low, high;
};

template <traced_arithmetic A>
auto ordered(const A& a, const A& b) {
    using T = value_type_of<A>;
    return ordered_pair<T>{min(a, b), max(a, b)};
}

/// combine over [first, first + count) as a tree whose depth is known while tracing.
template <class Array, class Combine>
auto tree(const Array& a, std::size_t first, std::size_t count, const Combine& combine) {
    using T = typename Array::element_type;
    if (count == 1) return val<T>(a[first]);
    const val<T> left = tree(a, first, count / 2, combine), right = tree(a, first + count / 2, count / 2, combine);
    return val<T>(combine(left, right));
}

template <class T>
ir::module generic_kernel() {
    return module_of([](inout<T> keys, out<T> sums, out<T> smooth) {
        math_mode(math::precise);
        workgroup_size(group);
        shared<T> tile(group);
        val i = global_id();
        val me = local_id();
        tile[me] = keys[i];
        barrier();
        const auto tap = [&](int by) {  // clamped to the workgroup
            return val<T>(tile[cast<uint>(clamp(cast<int>(me) + by, 0, int(group) - 1))]);
        };
        const auto blurred = [](const auto& at) { return (at(-1) + at(0) + at(0) + at(1)) / 4; };
        smooth[i] = blurred(tap);
        if_(me == 0u, [&] {
            local_array<T> own(group);
            for_(range(0u, uint(group)), [&](val<uint> n) { own[n] = tile[n]; });
            sums[workgroup_id()] = tree(own, 0, group, [](const auto& a, const auto& b) { return a + b; });
        });
        barrier();
        for (uint block = 2; block <= group; block *= 2)
            for (uint distance = block / 2; distance > 0; distance /= 2) {
                val partner = me ^ (distance == block / 2 ? block - 1 : distance);
                val mine = tile[me];
                val theirs = tile[partner];
                barrier();
                auto [low, high] = ordered(mine, theirs);
                tile[me] = select(me < partner, low, high);
                barrier();
            }
        keys[i] = tile[me];
    });
}

template <class T>
T host_tree(const T* first, std::size_t count) {
    if (count == 1) return *first;
    return T(host_tree(first, count / 2) + host_tree(first + count / 2, count / 2));
}

template <class T>
void check_generic(testbed& bed) {
    std::mt19937 random(3);
    std::vector<T> keys(elements), sums(elements / group), smooth(elements);
    for (T& k : keys) k = T(static_cast<int>(random() % 2000) - (std::is_unsigned_v<T> ? 0 : 1000));
    const ir::module kernel = generic_kernel<T>();
    experiment e;
    e.kernel = &kernel;
    e.buffers = {bytes_of(keys), bytes_of(sums), bytes_of(smooth)};
    e.extent = {elements, 1, 1};
    bed.run(e);
    for (std::size_t g = 0; g < elements / group; ++g) {
        T* const first = keys.data() + g * group;
        sums[g] = host_tree(first, group);
        for (std::size_t n = 0; n < group; ++n) {
            const T left = first[n == 0 ? 0 : n - 1], right = first[std::min(n + 1, group - 1)];
            smooth[g * group + n] = T(T(T(left + first[n]) + first[n]) + right) / T(4);
        }
        std::sort(first, first + group);
    }
    INFO(bed.where().device << " at " << bed.where().lanes << " lanes, " << ir::name(quern_detail::scalar_kind_of<T>()));
    CHECK(e.buffers[0] == bytes_of(keys));
    CHECK(e.buffers[1] == bytes_of(sums));
    CHECK(e.buffers[2] == bytes_of(smooth));
}

}  // namespace

TEST_CASE("One source sorts, sums and blurs several types on every device") {
    on_every_device([](testbed& bed) {
        check_generic<uint>(bed);
        check_generic<int>(bed);
        check_generic<float>(bed);
        if (bed.info().has(feature::half)) check_generic<half>(bed);
        if (bed.info().has(feature::bfloat16)) check_generic<bfloat16>(bed);
        if (bed.info().has(feature::float64)) check_generic<double>(bed);
    });
}

TEST_CASE("An enum's value that is no enumerator runs otherwise or nothing on every device") {
    const ir::module kernel = module_of([](in<flow> from, out<int> exhaustive, out<int> open) {
        val i = global_id();
        match(from[i], when<flow::in>([&] { exhaustive[i] = 1; }), when<flow::through>([&] { exhaustive[i] = 2; }),
              when<flow::out>([&] { exhaustive[i] = 3; }));
        match(from[i], when<flow::out>([&] { open[i] = 4; }), otherwise([&] { open[i] = 5; }));
    });
    std::vector<flow> from;
    std::vector<int> exhaustive, open;
    for (int n = 0; n < 50; ++n) {
        const int value = n % 5 == 0 ? -300 : n % 5 == 1 ? 0 : n % 5 == 2 ? 300 : n * 601 - 9000;
        from.push_back(static_cast<flow>(value));
        exhaustive.push_back(value == -300 ? 1 : value == 0 ? 2 : value == 300 ? 3 : 7);
        open.push_back(value == 300 ? 4 : 5);
    }
    on_every_device([&](testbed& bed) {
        experiment e;
        e.kernel = &kernel;
        e.buffers = {bytes_of(from), bytes_of(std::vector<int>(50, 7)), bytes_of(std::vector<int>(50, 7))};
        e.extent = {50, 1, 1};
        bed.run(e);
        INFO(bed.where().device << " at " << bed.where().lanes << " lanes");
        CHECK(e.buffers[1] == bytes_of(exhaustive));
        CHECK(e.buffers[2] == bytes_of(open));
    });
}
