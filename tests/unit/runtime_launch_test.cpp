// What a launch accepts, what it refuses, and what it hands to the backend.
#include <catch2/catch.hpp>

#include <quern/error.hpp>
#include <quern/parameter.hpp>
#include <quern/prepared.hpp>

#include "tests/unit/fake_runtime.hpp"

using namespace quern;
using Catch::Matchers::Contains;
using test::argument;
using test::launch;
using test::message_of;

namespace {

ir::module writer_and_reader(bool aliased = false) {
    ir::module m = test::empty_kernel();
    m.parameters = {test::buffer_parameter(m, ir::access::write, aliased),
                    test::buffer_parameter(m, ir::access::read)};
    return m;
}

}  // namespace

TEST_CASE("arguments are packed in order, values at their own alignment") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    ir::module m = test::empty_kernel();
    m.parameters = {test::value_parameter(m, ir::scalar_kind::u8), test::buffer_parameter(m, ir::access::write),
                    test::value_parameter(m, ir::scalar_kind::f64), test::value_parameter(m, ir::scalar_kind::u16)};
    const auto k = test::make_kernel(std::move(m));
    const std::uint8_t a = 7;
    const double b = 1.5;
    const std::uint16_t c = 513;
    const auto y = d.make_buffer<float>(10);
    launch(d, k, over{3}, {{{}, &a}, argument(y.view(2, 5)), {{}, &b}, {{}, &c}});

    REQUIRE(rt.first.record.dispatches.size() == 1);
    const test::fake_dispatch& got = rt.first.record.dispatches[0];
    CHECK(got.counts == std::vector<std::uint64_t>{5});
    CHECK(got.extent == std::array<std::uint64_t, 3>{3, 1, 1});
    REQUIRE(got.values.size() == 18);
    CHECK(got.values[0] == std::byte{7});
    CHECK(std::memcmp(got.values.data() + 8, &b, sizeof b) == 0);
    CHECK(std::memcmp(got.values.data() + 16, &c, sizeof c) == 0);
}

TEST_CASE("more arguments than fit inline arrive all the same") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    ir::module m = test::empty_kernel();
    std::vector<quern_detail::argument_ref> arguments;
    const auto x = d.make_buffer<float>(3);
    for (int i = 0; i < 40; ++i) {
        m.parameters.push_back(test::buffer_parameter(m, ir::access::read));
        arguments.push_back(argument(x));
    }
    launch(d, test::make_kernel(std::move(m)), over{3}, arguments);
    REQUIRE(rt.first.record.dispatches.size() == 1);
    CHECK(rt.first.record.dispatches[0].counts == std::vector<std::uint64_t>(40, 3));
}

TEST_CASE("an empty launch does nothing but still checks its arguments") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    const auto k = test::make_kernel(writer_and_reader());
    const auto x = d.make_buffer<float>(4);
    launch(d, k, over{4, 0}, {argument(x.view(0, 2)), argument(x.view(2, 2))});
    CHECK(rt.first.record.dispatches.empty());
    CHECK_THROWS_AS(launch(d, k, over{0}, {argument(x), argument(x)}), usage_error);
}

TEST_CASE("buffers of zero elements are no error") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    const auto none = d.make_buffer<float>(0);
    CHECK(none.download().empty());
    launch(d, test::make_kernel(writer_and_reader()), over{1}, {argument(none), argument(none)});
    CHECK(rt.first.record.dispatches.size() == 1);
}

TEST_CASE("a buffer of another device is refused by kernel and argument") {
    test::fake_runtime rt;
    const device a = rt.find("first:0"), b = rt.find("second:0");
    const auto k = test::make_kernel(writer_and_reader());
    const auto x = a.make_buffer<float>(4), y = b.make_buffer<float>(4);
    const std::string text = message_of<usage_error>([&] { launch(a, k, over{4}, {argument(x), argument(y)}); });
    CHECK_THAT(text, Contains("fake") && Contains("argument 2") && Contains("another device") &&
                         Contains("second:0"));
}

TEST_CASE("an empty buffer handle is refused") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    const auto x = d.make_buffer<float>(4);
    const std::string text = message_of<usage_error>(
        [&] { launch(d, test::make_kernel(writer_and_reader()), over{4}, {argument(x), argument(buffer<float>())}); });
    CHECK_THAT(text, Contains("argument 2") && Contains("empty buffer handle"));
}

TEST_CASE("a written buffer must not overlap another argument by address") {
    test::fake_runtime rt;
    const device d = rt.find("first:0"), remote = rt.find("first:1");
    const auto k = test::make_kernel(writer_and_reader());
    for (const device& where : {d, remote}) {
        const auto x = where.make_buffer<float>(10);
        const std::string text = message_of<usage_error>(
            [&] { launch(where, k, over{4}, {argument(x.view(0, 6)), argument(x.view(5, 5))}); });
        CHECK_THAT(text, Contains("fake") && Contains("argument 1") && Contains("argument 2") && Contains("overlaps"));
        CHECK_NOTHROW(launch(where, k, over{4}, {argument(x.view(0, 5)), argument(x.view(5, 5))}));
        CHECK_NOTHROW(launch(where, k, over{4}, {argument(x), argument(where.make_buffer<float>(10))}));
    }
    // The same host memory under two handles.
    std::vector<float> host(8);
    CHECK_THROWS_AS(launch(d, k, over{4}, {argument(d.wrap(host)), argument(d.wrap(std::span(host).subspan(7)))}),
                    usage_error);
}

TEST_CASE("two written buffers must not overlap, two read ones may") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    const auto x = d.make_buffer<float>(4);
    ir::module writers = test::empty_kernel(), readers = test::empty_kernel();
    writers.parameters = {test::buffer_parameter(writers, ir::access::write),
                          test::buffer_parameter(writers, ir::access::read_write)};
    readers.parameters = {test::buffer_parameter(readers, ir::access::read),
                          test::buffer_parameter(readers, ir::access::read)};
    CHECK_THROWS_AS(launch(d, test::make_kernel(std::move(writers)), over{4}, {argument(x), argument(x)}), usage_error);
    CHECK_NOTHROW(launch(d, test::make_kernel(std::move(readers)), over{4}, {argument(x), argument(x)}));
}

TEST_CASE("an aliased buffer may equal another argument, or be apart from it, but not overlap in part") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    const auto k = test::make_kernel(writer_and_reader(true));
    const auto x = d.make_buffer<float>(10);
    CHECK_NOTHROW(launch(d, k, over{4}, {argument(x), argument(x)}));
    CHECK_NOTHROW(launch(d, k, over{4}, {argument(x.view(0, 5)), argument(x.view(5, 5))}));
    CHECK_THROWS_AS(launch(d, k, over{4}, {argument(x.view(0, 5)), argument(x.view(1, 5))}), usage_error);
}

/// Makes the kernel depend on a leaf: a value that nothing uses is not there after the passes.
void use(ir::module& m, ir::op leaf, ir::scalar_kind k, std::uint64_t immediate = 0) {
    ir::builder b(m);
    const ir::value_id v = b.make(leaf, ir::intern_scalar(m, k), {}, immediate);
    const ir::value_id is_itself = b.make(ir::op::eq, ir::intern_scalar(m, ir::scalar_kind::boolean), std::array{v, v});
    for (const ir::statement& s : {ir::statement(ir::define{v}), ir::statement(ir::define{is_itself}),
                                   ir::statement(ir::assume{is_itself})}) {
        m[m.body].statements.push_back(s);
        m[m.body].locations.push_back({});
    }
}

TEST_CASE("extents above 2^32 - 1 need 64-bit ids") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    const auto narrow = test::make_kernel(test::empty_kernel());
    CHECK_NOTHROW(launch(d, narrow, over{4294967295u}));
    CHECK_THAT(message_of<usage_error>([&] { launch(d, narrow, over{4294967296u}); }),
               Contains("fake") && Contains("index type too small") && Contains("4294967296"));
    ir::module m = test::empty_kernel();
    use(m, ir::op::global_id, ir::scalar_kind::u64);
    const auto wide = test::make_kernel(std::move(m));
    CHECK_NOTHROW(launch(d, wide, over{4294967296u}));
    CHECK_THAT(message_of<usage_error>([&] { launch(d, wide, over{1ull << 40, 1ull << 40}); }),
               Contains("fake") && Contains("1099511627776 in y") && Contains("unused extents must be 1"));
    ir::module plane = test::empty_kernel();
    use(plane, ir::op::global_id, ir::scalar_kind::u64, 1);
    const auto two = test::make_kernel(std::move(plane));
    CHECK_NOTHROW(launch(d, two, over{4294967296u, 3}));
    CHECK_THAT(message_of<usage_error>([&] { launch(d, two, over{1ull << 40, 1ull << 40}); }),
               Contains("more than can be counted"));
    CHECK_THAT(message_of<usage_error>([&] { launch(d, two, over{4, 3, 2}); }), Contains("unused extents must be 1"));
}

TEST_CASE("buffers above 2^32 - 1 elements need 64-bit sizes") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    char byte = 0;
    const auto huge = d.wrap(std::span<char>(&byte, 4294967296u));  // nobody touches it
    ir::module m = test::empty_kernel();
    m.parameters = {test::buffer_parameter(m, ir::access::read, false, ir::scalar_kind::i8)};
    ir::module wide = m;
    use(wide, ir::op::buffer_size, ir::scalar_kind::u64);
    CHECK_THAT(message_of<usage_error>([&] { launch(d, test::make_kernel(m), over{1}, {argument(huge)}); }),
               Contains("index type too small"));
    CHECK_NOTHROW(launch(d, test::make_kernel(m), over{1}, {argument(huge.view(0, 4294967295u))}));
    CHECK_NOTHROW(launch(d, test::make_kernel(wide), over{1}, {argument(huge)}));
    use(wide, ir::op::buffer_size, ir::scalar_kind::u32);
    CHECK_THROWS_AS(launch(d, test::make_kernel(wide), over{1}, {argument(huge)}), usage_error);
}

TEST_CASE("negative extents are a usage error") {
    test::fake_runtime rt;
    const int n = -3;
    CHECK_THAT(message_of<usage_error>(
                   [&] { launch(rt.find("first:0"), test::make_kernel(test::empty_kernel()), over{n}); }),
               Contains("-3") && Contains("negative"));
}

TEST_CASE("extents of a cooperative kernel are multiples of its workgroup size") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    ir::module m = test::empty_kernel();
    m.workgroup_size = {64, 1, 1};
    const auto independent = test::make_kernel(m);
    m.cooperative = true;
    const auto cooperative = test::make_kernel(m);
    CHECK_THAT(message_of<usage_error>([&] { launch(d, cooperative, over{100}); }),
               Contains("fake") && Contains("100") && Contains("64"));
    launch(d, cooperative, over{128});
    launch(d, independent, over{100});
    CHECK(rt.first.record.dispatches[0].groups == std::array<std::uint64_t, 3>{2, 1, 1});
    CHECK(rt.first.record.dispatches[1].groups == std::array<std::uint64_t, 3>{2, 1, 1});
}

TEST_CASE("groups count workgroups and tiles are rounded up") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    ir::module m = test::empty_kernel(ir::launch_kind::groups);
    m.workgroup_size = {16, 4, 1};
    launch(d, test::make_kernel(m), groups{3, 2});
    CHECK(rt.first.record.dispatches[0].groups == std::array<std::uint64_t, 3>{3, 2, 1});
    CHECK_THAT(message_of<usage_error>([&] { launch(d, test::make_kernel(m), groups{300000000u}); }),
               Contains("index type too small"));
    m.launch = ir::launch_kind::tiles;
    CHECK_THAT(message_of<usage_error>([&] { launch(d, test::make_kernel(m), tiles{65, 30}); }), Contains("covers"));
    m.covers = {32, 10};
    launch(d, test::make_kernel(m), tiles{65, 30});
    CHECK(rt.first.record.dispatches[1].groups == std::array<std::uint64_t, 3>{3, 3, 1});
    CHECK(rt.first.record.dispatches[1].extent == std::array<std::uint64_t, 3>{65, 30, 1});
}

TEST_CASE("workgroups are checked against the kernel and the device") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    ir::module m = test::empty_kernel();
    m.cooperative = true;
    CHECK_THAT(message_of<usage_error>([&] { launch(d, test::make_kernel(m), over{64}); }),
               Contains("fake") && Contains("workgroup_size"));
    m.cooperative = false;
    m.launch = ir::launch_kind::groups;
    CHECK_THAT(message_of<usage_error>([&] { launch(d, test::make_kernel(m), groups{1}); }),
               Contains("workgroup_size"));
    m.workgroup_size = {32, 16, 1};
    CHECK_THAT(message_of<usage_error>([&] { launch(d, test::make_kernel(m), groups{1}); }),
               Contains("512") && Contains("256"));
    m.workgroup_size = {32, 1, 1};
    m.variables = {{ir::storage::shared, ir::intern_array(m, ir::intern_scalar(m, ir::scalar_kind::f32), 1025)}};
    CHECK_THAT(message_of<usage_error>([&] { launch(d, test::make_kernel(m), groups{1}); }),
               Contains("4100") && Contains("4096") && Contains("shared memory"));
    CHECK(rt.first.record.compiled == 0);
}

TEST_CASE("host numbers reach a value parameter by the literal rule") {
    using quern_detail::value_argument;
    const auto is_unfit = [](const auto& a) { return a.ref().unfit != nullptr; };
    const auto as_float = [](value_argument<float> a) { return *static_cast<const float*>(a.ref().value); };
    CHECK(as_float(0.1) == 0.1f);
    CHECK(as_float(16777216) == 16777216.f);
    CHECK(is_unfit(value_argument<float>(16777217)));
    CHECK(!is_unfit(value_argument<float>(16777216)));
    CHECK(as_float(33554436) == 33554436.f);
    const auto as_unsigned = [](value_argument<unsigned> a) { return *static_cast<const unsigned*>(a.ref().value); };
    CHECK(as_unsigned(5) == 5u);
    CHECK(!is_unfit(value_argument<unsigned>(5)));
    CHECK(is_unfit(value_argument<unsigned>(-1)));
    CHECK(is_unfit(value_argument<unsigned>(1ll << 32)));
    const auto as_int = [](value_argument<int> a) { return *static_cast<const int*>(a.ref().value); };
    CHECK(as_int(2147483647u) == 2147483647);
    CHECK(is_unfit(value_argument<int>(2147483648u)));
    CHECK(is_unfit(value_argument<int>(~0ull)));
    static_assert(!std::is_convertible_v<double, value_argument<int>>);
    static_assert(!std::is_convertible_v<bool, value_argument<int>>);
    static_assert(!std::is_convertible_v<int, value_argument<bool>>);
}

TEST_CASE("a host number that its parameter cannot hold is reported by the launch, with the kernel and the argument") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    ir::module m = test::empty_kernel();
    m.parameters = {test::value_parameter(m, ir::scalar_kind::u32), test::value_parameter(m, ir::scalar_kind::u32)};
    const auto k = test::make_kernel(std::move(m));
    const quern_detail::value_argument<uint> good = 5, bad = -5, huge = ~0ull;
    CHECK_THAT(message_of<usage_error>([&] { launch(d, k, over{3}, {good.ref(), bad.ref()}); }),
               Contains("\"fake\"") && Contains("argument 2 is -5") && Contains("unsigned int"));
    CHECK_THAT(message_of<usage_error>([&] { launch(d, k, over{3}, {huge.ref(), good.ref()}); }),
               Contains("argument 1 is 18446744073709551615"));
    const quern_detail::argument_ref refs[] = {good.ref(), bad.ref()};
    CHECK(quern_detail::try_launch(d.state(), k.get(), over{3}, refs, 2) == status::failed);
    using prepared_kernel = prepared<void(out<float>, val<uint>)>;
    static_assert(noexcept(std::declval<prepared_kernel&>().try_launch(std::declval<queue&>(), over{std::size_t{3}},
                                                                       std::declval<buffer<float>&>(), -5)));
}
