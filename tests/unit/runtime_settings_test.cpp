// Options and the QUERN_… variables on top of them.
#include <catch2/catch.hpp>

#include <quern/error.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "jit/runtime/settings.hpp"

using namespace quern;
using Catch::Matchers::Contains;

namespace {

/// Sets a variable, and puts the former value back.
class scoped_variable {
public:
    scoped_variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        setenv(name, value, 1);
    }
    scoped_variable(const scoped_variable&) = delete;
    scoped_variable& operator=(const scoped_variable&) = delete;
    ~scoped_variable() {
        if (before_) setenv(name_, before_->c_str(), 1);
        else unsetenv(name_);
    }

private:
    const char* name_;
    std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("variables override options") {
    const scoped_variable devices("QUERN_DEVICE", "cpu, vulkan:0"), cache("QUERN_CACHE", "ro"),
        folder("QUERN_CACHE_DIR", "/somewhere"), tune("QUERN_TUNE", "cached"), lanes("QUERN_CPU_LANES", "8"), vectors("QUERN_CPU_VECTORS", "2");
    const jit::settings s = jit::make_settings({.cache_dir = "/elsewhere", .tune = tune_mode::off});
    CHECK(s.devices == std::vector<std::string>{"cpu", "vulkan:0"});
    CHECK(s.options.cache == cache_mode::read_only);
    CHECK(s.options.cache_dir == "/somewhere");
    CHECK(s.options.tune == tune_mode::cached);
    CHECK(s.lanes == 8);
    CHECK(s.vectors == 2);
}

TEST_CASE("a program that owns its settings is not touched by variables") {
    const scoped_variable devices("QUERN_DEVICE", "abacus"), lanes("QUERN_CPU_LANES", "5");
    const jit::settings s = jit::make_settings({.cache = cache_mode::off, .read_environment = false});
    CHECK_FALSE(s.devices);
    CHECK(s.options.cache == cache_mode::off);
    CHECK(s.lanes == 0);
}

TEST_CASE("a variable that is not understood is a usage error that lists what is") {
    const scoped_variable lanes("QUERN_CPU_LANES", "5");
    CHECK_THROWS_WITH(jit::make_settings({}), Contains("QUERN_CPU_LANES=5") && Contains("4, 8, 16"));
    CHECK_THROWS_AS(jit::make_settings({}), usage_error);
}

TEST_CASE("an empty QUERN_DEVICE restricts nothing") {
    const scoped_variable devices("QUERN_DEVICE", "");
    CHECK_FALSE(jit::make_settings({}).devices);
}

TEST_CASE("a QUERN_DEVICE without a name in it is a usage error") {
    const scoped_variable devices("QUERN_DEVICE", " , ");
    CHECK_THROWS_WITH(jit::make_settings({}), Contains("QUERN_DEVICE= , ") && Contains("names no device"));
    CHECK_THROWS_AS(jit::make_settings({}), usage_error);
}

TEST_CASE("without a sink, warnings and errors are lines of the standard error stream") {
    std::FILE* const seen = std::tmpfile();
    std::fflush(stderr);
    const int before = dup(2);
    dup2(fileno(seen), 2);
    for (const bool reads : {true, false}) {
        const jit::settings s = jit::make_settings({.read_environment = reads});
        jit::log(s, log_level::debug, "a detail");
        jit::log(s, log_level::information, "a fact");
        jit::log(s, log_level::warning, "a\nwarning");
        jit::log(s, log_level::error, "an error");
    }
    std::fflush(stderr);
    dup2(before, 2);
    close(before);
    std::string text(1000, '\0');
    std::rewind(seen);
    text.resize(std::fread(text.data(), 1, text.size(), seen));
    std::fclose(seen);
    const std::string twice = "quern: a warning\nquern: an error\n";
    CHECK(text == twice + twice);
}

TEST_CASE("messages reach the program's sink") {
    std::string seen;
    jit::settings s;
    s.options.log = {[](void* context, log_level level, const char* message) {
                         *static_cast<std::string*>(context) += (level == log_level::warning ? "w:" : "?:") + std::string(message);
                     },
                     &seen};
    jit::log(s, log_level::warning, "hello");
    CHECK(seen == "w:hello");
}
