#include "backends/cpu/codegen/host.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include <quern/error.hpp>

namespace quern::cpu::codegen {
namespace {

template <std::size_t N>
void copy_text(char (&to)[N], const std::string& from) {
    if (from.size() >= N) throw internal_error("host description does not fit: " + from);
    std::memcpy(to, from.c_str(), from.size() + 1);
}

}  // namespace

std::string host_cpu() { return llvm::sys::getHostCPUName().str(); }

std::string host_features() {
    const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    std::vector<std::string> names;
    for (const auto& f : features) names.push_back((f.getValue() ? "+" : "-") + f.getKey().str());
    // sorted by name: the string is part of cache keys
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) { return a.compare(1, a.npos, b, 1, b.npos) < 0; });
    std::string all;
    for (const std::string& n : names) all += (all.empty() ? "" : ",") + n;
    return all;
}

void describe_host(quern_cpu_host& out) {
    copy_text(out.cpu, host_cpu());
    copy_text(out.features, host_features());
    copy_text(out.llvm_version, LLVM_VERSION_STRING);
    const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    out.lanes = features.lookup("avx512f") ? 16 : features.lookup("avx") ? 8 : 4;
}

}  // namespace quern::cpu::codegen
