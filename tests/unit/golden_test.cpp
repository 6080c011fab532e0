// The IR of every example, as a file to read and to notice changes by: tests/golden/<example>.qir.
// QUERN_APPROVE=1 rewrites the files instead (scripts/test --approve); what changed is then seen in the diff.
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "dsl/ir/text.hpp"
#include "tests/skip.hpp"
#include "tests/support/folders.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path examples = fs::path(quern::tests::source_folder()) / "examples";
const fs::path golden = fs::path(quern::tests::source_folder()) / "tests" / "golden";
const fs::path programs = fs::path(quern::tests::binary_folder()) / "bin" / "examples";

/// Names of the files in a folder that end in `extension`, without it.
std::set<std::string> names_in(const fs::path& folder, const char* extension) {
    std::set<std::string> names;
    for (const fs::directory_entry& e : fs::directory_iterator(folder))
        if (e.path().extension() == extension) names.insert(e.path().stem().string());
    return names;
}

std::string read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::string output_of(const std::string& command) {
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    char part[4096];
    while (const std::size_t n = std::fread(part, 1, sizeof part, pipe)) text.append(part, n);
    INFO(command << " printed\n" << text);
    REQUIRE(pclose(pipe) == 0);
    return text;
}

bool approving() {
    const char* approve = std::getenv("QUERN_APPROVE");
    return approve != nullptr && std::string(approve) == "1";
}

}  // namespace

TEST_CASE("the IR of every example is its golden file") {
    if (!fs::exists(programs)) return quern::tests::skip("the examples are not built");
    const std::set<std::string> names = names_in(examples, ".cpp");
    REQUIRE(names.size() >= 7);
    for (const std::string& name : names) {
        const std::string ir = output_of("'" + (programs / name).string() + "' --device reference --print-ir 2>&1");
        const fs::path file = golden / (name + ".qir");
        if (approving()) std::ofstream(file, std::ios::binary) << ir;
        INFO(file << "; scripts/test --approve rewrites it");
        CHECK(read(file) == ir);
    }
    CHECK(names_in(golden, ".qir") == names);  // no golden file without its example
}

TEST_CASE("golden files parse and print back as they are") {
    const std::set<std::string> names = names_in(golden, ".qir");
    REQUIRE(!names.empty());
    for (const std::string& name : names) {
        const std::string file = (golden / (name + ".qir")).string(), text = read(file);
        CHECK(quern::ir::print(quern::ir::parse(text, file)) == text);
    }
}
