// A sum: every invocation adds up a share, the invocations of a workgroup combine theirs in shared memory, and a second
// launch of the same kernel adds up what the workgroups found.
#include <quern/quern.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <vector>

#include "support/program.hpp"

using namespace quern;

constexpr uint group_size = 256;
constexpr std::size_t most_groups = 1024;

kernel reduce{"reduce", [](out<float> sums, in<float> x) {
    workgroup_size(group_size);
    shared<float> partial(group_size);
    val me = local_id();

    var sum = 0.f;
    for_(range(global_id(), x.size(), workgroup_count() * group_size), [&](val<uint> i) { sum += x[i]; });
    partial[me] = sum;
    barrier();

    var width = group_size / 2;
    while_([&] { return width > 0; }, [&] {
        if_(me < width, [&] { partial[me] += partial[me + width]; });
        barrier();  // every invocation of the workgroup gets here: the loop's condition is the same for all of them
        width /= 2;
    });
    if_(me == 0, [&] { sums[workgroup_id()] = partial[0]; });
}};

int main(int argc, char** argv) {
    std::size_t n = 1 << 24;
    examples::program program{"reduce", "a sum with shared memory and barriers in a loop"};
    program.option("--size", n, "elements, at least 1");
    return program.run(argc, argv, reduce, [&](const device& gpu) -> examples::outcome {
        std::mt19937 random(1);
        std::uniform_real_distribution<float> uniform(0, 1);
        std::vector<float> xs(n);
        std::generate(xs.begin(), xs.end(), [&] { return uniform(random); });

        const std::size_t group_count = std::clamp<std::size_t>(n / group_size, 1, most_groups);
        const buffer<float> x = gpu.upload(xs);
        const buffer<float> sums = gpu.make_buffer<float>(group_count), total = gpu.make_buffer<float>(1);
        reduce.prepare(gpu);

        const examples::stopwatch watch;
        gpu.launch(reduce, groups{group_count}, sums, x);
        gpu.launch(reduce, groups{1}, total, sums);
        const float result = total.download().front();
        const double ms = watch.ms();

        // Every addition rounds by at most 2^-24 of a sum that is no larger than the total: what counts is how many
        // additions one element can take part in.
        const std::size_t share = n / (group_count * group_size) + 1 + most_groups / group_size;
        const double tolerance = static_cast<double>(share + 2 * std::bit_width(group_size)) * 0x1p-24;
        const double exact = std::accumulate(xs.begin(), xs.end(), 0.0);
        return {std::to_string(n) + " elements", ms, "a sum in double, within its rounding error bound",
                examples::find_difference(std::vector{result}, std::vector{exact}, tolerance * exact)};
    });
}
