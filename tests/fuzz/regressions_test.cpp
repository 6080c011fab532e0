// Replays every kernel that once failed, or that stands for a shape worth keeping, under tests/regressions.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "backends/registry.hpp"
#include "tests/fuzz/experiment.hpp"
#include "tests/skip.hpp"
#include "tests/support/folders.hpp"

namespace {

std::vector<std::filesystem::path> saved_kernels() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(quern::tests::source_folder() + "/tests/regressions"))
        if (entry.path().extension() == ".qir") files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

void replay(quern::fuzz::experiment& e) {
    const std::vector<std::filesystem::path> files = saved_kernels();
    CHECK(!files.empty());
    for (const std::filesystem::path& file : files) {
        const auto f = e.run(quern::fuzz::load_trial(file.string()));
        INFO(file.filename().string() << ": " << (f ? f->step + ": " + f->message : std::string()));
        CHECK(!f);
    }
}

}  // namespace

TEST_CASE("saved kernels keep their meaning through text, canonical form and passes", "[regressions]") {
    quern::fuzz::experiment e({.lanes = {4, 8, 16}, .devices = {}});
    replay(e);
}

TEST_CASE("saved kernels give the same bits on the CPU as in the reference", "[regressions][cpu]") {
    std::string reason = "no such backend";
    quern::backends::backend* cpu = quern::backends::find("cpu");
    if (cpu == nullptr || cpu->enumerate(reason).empty()) return quern::tests::skip("the CPU device is absent: " + reason);
    quern::fuzz::experiment e({.lanes = {4, 8, 16}, .devices = {"cpu"}});
    replay(e);
}
