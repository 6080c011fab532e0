#include <catch2/catch.hpp>

#include <array>

#include "dsl/trace/source_names.hpp"

using namespace quern::trace;

namespace {

std::string names_of(std::string_view line, declared_as how = declared_as::statement) {
    std::string all;
    for (const declared_name& n : declared_names(line))
        if (n.how == how) all += std::string(n.name) + ' ';
    return all;
}

class lines final : public source_lines {
public:
    std::string_view line(std::string_view, std::uint32_t l) const override {
        constexpr std::array<std::string_view, 5> text{
            "", R"(kernel saxpy{"saxpy", [](inout<float> y, in<vec<float, 3>> x,  // (comment, here)))",
            "                                const val<float> a) {", "    val i = global_id();", "}};"};
        return l < text.size() + 1 && l > 0 ? text[l - 1] : std::string_view{};
    }
};

}  // namespace

TEST_CASE("names are read from the declarations of a line") {
    CHECK(names_of("    val i = global_id();") == "i ");
    CHECK(names_of("var acc = 0.f; val<uint> k = 3;") == "acc k ");
    CHECK(names_of("shared<float> tile(16, 17);  // val q = 3") == "tile ");
    CHECK(names_of("y[i] = x[i];") == "");
    CHECK(names_of("interval i = 3; my_val = 4;") == "");
    CHECK(names_of("for_(range(0u, n), [&](val<uint> j) {", declared_as::lambda_parameter) == "j ");
    CHECK(names_of("for_(range(0u, n), [&](val<uint> j) {") == "");
    CHECK(declared_names("val i = global_id();").at(0).initialiser == "global_id();");
}

TEST_CASE("parameter names are found from the line where a kernel begins and from where it ends") {
    const std::vector<std::string> expected{"y", "x", "a"};
    CHECK(parameter_names(lines(), "", 2, "saxpy", 3) == expected);
    CHECK(parameter_names(lines(), "", 5, "saxpy", 3) == expected);
    CHECK(parameter_names(lines(), "", 5, "saxpy", 2).empty());
    CHECK(parameter_names(lines(), "", 5, "other", 3).empty());
}
