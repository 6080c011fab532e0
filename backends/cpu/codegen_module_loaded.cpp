#include <quern/error.hpp>

#include <string>
#include <vector>

#include "backends/cpu/codegen_module.hpp"
#include "platform/environment.hpp"
#include "platform/shared_library.hpp"

namespace quern::cpu {
namespace {

/// Beside this library or executable, in the installed layout, in the folder of the build, then by the system's rules.
std::vector<std::string> candidates() {
    if (const auto path = platform::environment_variable("QUERN_CPU_CODEGEN"); path && !path->empty()) return {*path};
    const std::string file = platform::library_file_name("quern-cpu-codegen");
    std::vector<std::string> paths;
    if (const std::string folder = platform::folder_of_this_module(); !folder.empty())
        paths = {folder + "/" + file, folder + "/quern/" + file, folder + "/../lib/quern/" + file};
    paths.push_back(QUERN_CODEGEN_DIR "/" + file);
    paths.push_back(file);
    return paths;
}

const quern_cpu_codegen_api* load() {
    std::string tried;
    for (const std::string& path : candidates()) {
        std::string error;
        platform::shared_library library(path, error);
        if (!library.is_open()) {
            tried += "\n  " + error;
            continue;
        }
        const auto entry = reinterpret_cast<quern_cpu_codegen_function>(library.symbol("quern_cpu_codegen"));
        const quern_cpu_codegen_api* api = entry == nullptr ? nullptr : entry();
        if (api == nullptr || api->abi != quern_cpu_codegen_abi) {
            tried += "\n  " + path + ": belongs to another version of Quern";
            continue;
        }
        library.keep_open();  // LLVM does not survive being unloaded
        return api;
    }
    throw device_error("the CPU code generator cannot be loaded; tried:" + tried);
}

}  // namespace

const quern_cpu_codegen_api& codegen_module() {
    static const quern_cpu_codegen_api* const api = load();  // tried again at the next call if it throws
    return *api;
}

}  // namespace quern::cpu
