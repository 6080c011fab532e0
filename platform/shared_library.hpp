// Shared libraries that are opened at run time.
#pragma once

#include <string>

namespace quern::platform {

/// An open library. Closed with the object unless kept open.
class shared_library {
public:
    /// Opens by path or by name; `error` says what the system said if it is_open() is false afterwards.
    explicit shared_library(const std::string& path, std::string& error);
    shared_library(const shared_library&) = delete;
    shared_library& operator=(const shared_library&) = delete;
    ~shared_library();

    bool is_open() const { return handle_ != nullptr; }
    /// Address of an exported symbol, or null.
    void* symbol(const char* name) const;
    /// The library stays loaded until the process ends.
    void keep_open() { handle_ = nullptr; }

private:
    void* handle_ = nullptr;
};

/// Folder of the library or executable that holds this very code, without a trailing separator; empty if unknown.
std::string folder_of_this_module();
/// "libNAME.so" or "NAME.dll".
std::string library_file_name(const std::string& name);

}  // namespace quern::platform
