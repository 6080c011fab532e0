// Which devices a runtime shows, and which backends it asks.
#include <catch2/catch.hpp>

#include <quern/error.hpp>

#include "tests/unit/fake_runtime.hpp"

using namespace quern;
using Catch::Matchers::Contains;
using test::message_of;

namespace {

std::vector<std::string> ids(const std::vector<device>& devices) {
    std::vector<std::string> result;
    for (const device& d : devices) result.push_back(d.id());
    return result;
}

}  // namespace

TEST_CASE("devices are listed by rank, unlisted ones are reached by find alone") {
    test::fake_runtime rt;
    CHECK(ids(rt.state->devices()) == std::vector<std::string>{"first:1", "second:1", "first:0", "second:0"});
    CHECK(rt.state->best().id() == "first:1");
    CHECK(rt.find("second:2").id() == "second:2");
}

TEST_CASE("a device is opened once and equal to itself") {
    test::fake_runtime rt;
    const device a = rt.find("first:0");
    CHECK(a == rt.find("first:0"));
    CHECK_FALSE(a == rt.find("first:1"));
    CHECK(rt.first.record.opened == 2);
}

TEST_CASE("best opens no other device") {
    test::fake_runtime rt;
    CHECK(rt.state->best().id() == "first:1");
    CHECK(rt.first.record.opened + rt.second.record.opened == 1);
}

TEST_CASE("an unknown device is a usage error that lists those present") {
    test::fake_runtime rt;
    CHECK_THAT(message_of<usage_error>([&] { rt.find("cuda:7"); }),
               Contains("'cuda:7'") && Contains("first:1, second:1, first:0, second:0") && !Contains("first:2"));
}

TEST_CASE("QUERN_DEVICE restricts all, best and find, and its other backends are not asked") {
    test::fake_runtime rt({{"second:0"}});
    CHECK(ids(rt.state->devices()) == std::vector<std::string>{"second:0"});
    CHECK(rt.state->best().id() == "second:0");
    CHECK(rt.find("second:0").id() == "second:0");
    CHECK(rt.first.enumerated == 0);
    CHECK_THAT(message_of<usage_error>([&] { rt.find("second:1"); }),
               Contains("excluded by QUERN_DEVICE") && Contains("second:0"));
    CHECK(rt.find("second:2").id() == "second:2");
    CHECK(rt.find("first:2").id() == "first:2");
}

TEST_CASE("QUERN_DEVICE may name a whole backend") {
    test::fake_runtime rt({{"second"}});
    CHECK(ids(rt.state->devices()) == std::vector<std::string>{"second:1", "second:0"});
}

TEST_CASE("an absent device in QUERN_DEVICE is a usage error that lists those present") {
    for (const std::string name : {"first:9", "third:0", "second:2"}) {
        test::fake_runtime rt({{"first:0", name}});
        const std::string text = message_of<usage_error>([&] { rt.state->devices(); });
        CHECK_THAT(text, Contains("QUERN_DEVICE") && Contains("'" + name + "'") && Contains("second:1"));
        CHECK_THROWS_AS(rt.state->best(), usage_error);
        CHECK_THROWS_AS(rt.find("first:0"), usage_error);
        CHECK(rt.find("second:2").id() == "second:2");  // unlisted, as the reference is
    }
}

TEST_CASE("devices outlive their runtime") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    rt.state = {};
    const auto b = d.upload(std::vector<int>{1, 2, 3});
    CHECK(b.download() == std::vector<int>{1, 2, 3});
}

TEST_CASE("an empty device handle is a usage error") {
    const device none;
    CHECK_THROWS_AS(none.name(), usage_error);
    CHECK_THROWS_AS(none.make_buffer<int>(1), usage_error);
}
