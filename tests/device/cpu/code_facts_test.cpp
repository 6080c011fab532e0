// Facts read from an object's bytes, and from bytes that are none.
#include <catch2/catch.hpp>

#include <quern/error.hpp>
#include <quern/quern.hpp>

#include "backends/cpu/code_facts.hpp"

using namespace quern;

TEST_CASE("an object says its lanes and form, whole or not at all") {
    const kernel independent{"independent", [](inout<float> x) { x[global_id()] = 1.f; }};
    const kernel cooperative{"cooperative", [](inout<float> x) {
        workgroup_size(64);
        shared<float> tile(64);
        tile[local_id()] = 2.f;
        barrier();
        x[global_id()] = tile[63u - local_id()];
    }};
    const artifact a = independent.compile_for("cpu:znver4"), b = cooperative.compile_for("cpu:haswell");
    CHECK(cpu::read_facts(a.bytes).lanes == 16);
    CHECK(cpu::read_facts(a.bytes).range_form == 1);
    CHECK(cpu::read_facts(b.bytes).lanes == 8);
    CHECK(cpu::read_facts(b.bytes).range_form == 0);
    CHECK(cpu::read_facts(b.bytes).scratch_bytes >= 64 * sizeof(float));

    int misread = 0, refused = 0;
    for (std::size_t size = 0; size < a.bytes.size(); ++size) {
        const std::vector<std::byte> part(a.bytes.begin(), a.bytes.begin() + static_cast<std::ptrdiff_t>(size));
        try {
            misread += cpu::read_facts(part).lanes != 16;  // may be cut behind everything that is read
        } catch (const internal_error&) {
            ++refused;
        }
    }
    CHECK(misread == 0);
    CHECK(refused > 64);
    CHECK_THROWS_AS(cpu::read_facts(std::vector<std::byte>(1000, std::byte{0xff})), internal_error);
}
