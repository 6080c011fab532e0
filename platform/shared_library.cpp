#include "platform/shared_library.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#endif

namespace quern::platform {
namespace {

std::string folder_of(const std::string& path) {
    const std::size_t end = path.find_last_of("/\\");
    return end == std::string::npos ? std::string() : path.substr(0, end);
}

}  // namespace

#ifdef _WIN32

shared_library::shared_library(const std::string& path, std::string& error) : handle_(LoadLibraryA(path.c_str())) {
    if (handle_ == nullptr) error = path + ": system error " + std::to_string(GetLastError());
}

shared_library::~shared_library() {
    if (handle_ != nullptr) FreeLibrary(static_cast<HMODULE>(handle_));
}

void* shared_library::symbol(const char* name) const {
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name));
}

std::string folder_of_this_module() {
    HMODULE module = nullptr;
    if (!GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            reinterpret_cast<const char*>(&folder_of_this_module), &module))
        return {};
    char path[MAX_PATH];
    const DWORD length = GetModuleFileNameA(module, path, MAX_PATH);
    return length == 0 || length == MAX_PATH ? std::string() : folder_of(std::string(path, length));
}

std::string library_file_name(const std::string& name) { return name + ".dll"; }

#else

shared_library::shared_library(const std::string& path, std::string& error)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) error = dlerror();
}

shared_library::~shared_library() {
    if (handle_ != nullptr) dlclose(handle_);
}

void* shared_library::symbol(const char* name) const { return dlsym(handle_, name); }

std::string folder_of_this_module() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&folder_of_this_module), &info) == 0 || info.dli_fname == nullptr)
        return {};
    char* resolved = realpath(info.dli_fname, nullptr);
    // An executable found through PATH reports its bare name: ask the kernel instead.
    if (resolved == nullptr || std::string(info.dli_fname).find('/') == std::string::npos) {
        std::free(resolved);
        resolved = realpath("/proc/self/exe", nullptr);
    }
    if (resolved == nullptr) return {};
    std::string path = resolved;
    std::free(resolved);
    return folder_of(path);
}

std::string library_file_name(const std::string& name) { return "lib" + name + ".so"; }

#endif

}  // namespace quern::platform
