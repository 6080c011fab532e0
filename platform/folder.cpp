#include "platform/folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>
#include <utility>

#include "platform/environment.hpp"

#ifdef _WIN32
#include <windows.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#else
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace quern::platform {

bool file_status::is_absent() const { return error_ == ENOENT || error_ == ENOTDIR; }
std::string file_status::message() const { return std::generic_category().message(error_); }

std::int64_t now_s() { return static_cast<std::int64_t>(std::time(nullptr)); }

folder::folder(folder&& other) noexcept : handle_(std::exchange(other.handle_, -1)), path_(std::move(other.path_)) {}
folder& folder::operator=(folder&& other) noexcept {
    std::swap(handle_, other.handle_);
    path_.swap(other.path_);
    return *this;
}

#ifdef _WIN32

namespace fs = std::filesystem;

namespace {

file_status status_of(const std::error_code& e) { return file_status(e ? e.default_error_condition().value() : 0); }

std::int64_t stamp_of(const fs::path& file) {
    std::error_code ignored;
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() -
                                                                      fs::last_write_time(file, ignored));
    return now_s() - age.count();
}

}  // namespace

folder::~folder() = default;

// Folders of a user are private on Windows.
file_status folder::open(const std::string& path, folder_owner, absence a, std::string& refusal) {
    std::error_code failed;
    if (a == absence::create) fs::create_directories(path, failed);
    if (failed) return status_of(failed);
    if (fs::is_symlink(fs::symlink_status(path, failed))) {
        refusal = "it is a symbolic link";
        return file_status(ELOOP);
    }
    if (!fs::is_directory(path, failed)) return file_status(ENOENT);
    path_ = path;
    handle_ = 0;
    return {};
}

file_status folder::read(const std::string& name, std::size_t most_bytes, std::vector<std::byte>& contents,
                         std::int64_t& stamp_s) const {
    std::FILE* file = std::fopen((path_ + '/' + name).c_str(), "rb");
    if (file == nullptr) return file_status(errno);
    contents.clear();
    std::byte block[65536];
    for (std::size_t n = 0; contents.size() < most_bytes && (n = std::fread(block, 1, sizeof block, file)) > 0;)
        contents.insert(contents.end(), block, block + n);
    const bool failed = std::ferror(file) != 0;
    std::fclose(file);
    if (contents.size() > most_bytes) contents.resize(most_bytes);
    stamp_s = stamp_of(path_ + '/' + name);
    return file_status(failed ? EIO : 0);
}

file_status folder::write_new(const std::string& name, std::span<const std::byte> contents) const {
    std::FILE* file = std::fopen((path_ + '/' + name).c_str(), "wbx");
    if (file == nullptr) return file_status(errno);
    const bool written = std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
    const bool closed = std::fclose(file) == 0;
    return file_status(written && closed ? 0 : EIO);
}

file_status folder::rename(const std::string& from, const std::string& to) const {
    std::error_code failed;
    fs::rename(path_ + '/' + from, path_ + '/' + to, failed);
    return status_of(failed);
}

file_status folder::remove(const std::string& name) const {
    std::error_code failed;
    if (!fs::remove(path_ + '/' + name, failed) && !failed) return file_status(ENOENT);
    return status_of(failed);
}

file_status folder::stamp(const std::string& name) const {
    std::error_code failed;
    fs::last_write_time(path_ + '/' + name, fs::file_time_type::clock::now(), failed);
    return status_of(failed);
}

file_status folder::list(std::vector<file_facts>& files) const {
    std::error_code failed;
    for (const fs::directory_entry& e : fs::directory_iterator(path_, failed)) {
        std::error_code ignored;
        if (!e.is_regular_file(ignored)) continue;
        files.push_back({e.path().filename().string(), e.file_size(ignored), stamp_of(e.path())});
    }
    return status_of(failed);
}

std::string user_cache_folder() {
    if (const auto folder = environment_variable("XDG_CACHE_HOME"); folder && !folder->empty()) return *folder;
    return environment_variable("LOCALAPPDATA").value_or("");
}

std::uint64_t process_number() { return GetCurrentProcessId(); }

#else

namespace {

file_status last_error() { return file_status(errno); }

/// An open file; closing reports what a network file system found out late.
class descriptor {
public:
    explicit descriptor(int number) : number_(number) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() { static_cast<void>(close()); }
    bool is_open() const { return number_ >= 0; }
    int number() const { return number_; }
    file_status close() {
        const int n = std::exchange(number_, -1);
        return n < 0 || ::close(n) == 0 || errno == EINTR ? file_status() : last_error();
    }

private:
    int number_;
};

template <class Call>
auto again_if_interrupted(const Call& call) {
    decltype(call()) result;
    do result = call();
    while (result < 0 && errno == EINTR);
    return result;
}

file_status make_folders(const std::string& path) {
    for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
        if (::mkdir(path.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST) return last_error();
        if (at == std::string::npos) return {};
    }
}

}  // namespace

folder::~folder() {
    if (handle_ >= 0) ::close(handle_);
}

file_status folder::open(const std::string& path, folder_owner owner, absence a, std::string& refusal) {
    if (a == absence::create)
        if (const file_status made = make_folders(path); !made.ok()) return made;
    descriptor opened(again_if_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }));
    if (!opened.is_open()) {
        const file_status failed = last_error();
        struct stat facts {};
        if (::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode)) refusal = "it is a symbolic link";
        return failed;
    }
    struct stat facts {};
    if (::fstat(opened.number(), &facts) != 0) return last_error();
    const bool is_ours = facts.st_uid == ::geteuid() || (owner == folder_owner::this_user_or_root && facts.st_uid == 0);
    if (!is_ours) refusal = "it belongs to another user";
    else if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) refusal = "others can write to it";
    if (!refusal.empty()) return file_status(EPERM);
    handle_ = ::fcntl(opened.number(), F_DUPFD_CLOEXEC, 0);
    path_ = path;
    return handle_ >= 0 ? file_status() : last_error();
}

file_status folder::read(const std::string& name, std::size_t most_bytes, std::vector<std::byte>& contents,
                         std::int64_t& stamp_s) const {
    const descriptor file(again_if_interrupted(
        [&] { return ::openat(handle_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); }));
    if (!file.is_open()) return last_error();
    struct stat facts {};
    if (::fstat(file.number(), &facts) != 0) return last_error();
    if (!S_ISREG(facts.st_mode)) return file_status(EINVAL);
    stamp_s = static_cast<std::int64_t>(facts.st_mtime);
    contents.resize(std::min(static_cast<std::size_t>(facts.st_size), most_bytes));
    std::size_t have = 0;
    while (have < contents.size()) {
        const ssize_t n = again_if_interrupted(
            [&] { return ::read(file.number(), contents.data() + have, contents.size() - have); });
        if (n < 0) return last_error();
        if (n == 0) break;
        have += static_cast<std::size_t>(n);
    }
    contents.resize(have);
    return {};
}

file_status folder::write_new(const std::string& name, std::span<const std::byte> contents) const {
    descriptor file(again_if_interrupted(
        [&] { return ::openat(handle_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600); }));
    if (!file.is_open()) return last_error();
    while (!contents.empty()) {
        const ssize_t n = again_if_interrupted([&] { return ::write(file.number(), contents.data(), contents.size()); });
        if (n < 0) return last_error();
        contents = contents.subspan(static_cast<std::size_t>(n));
    }
    return file.close();
}

file_status folder::rename(const std::string& from, const std::string& to) const {
    return ::renameat(handle_, from.c_str(), handle_, to.c_str()) == 0 ? file_status() : last_error();
}

file_status folder::remove(const std::string& name) const {
    return ::unlinkat(handle_, name.c_str(), 0) == 0 ? file_status() : last_error();
}

file_status folder::stamp(const std::string& name) const {
    return ::utimensat(handle_, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0 ? file_status() : last_error();
}

file_status folder::list(std::vector<file_facts>& files) const {
    const int again = ::openat(handle_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (again < 0) return last_error();
    DIR* entries = ::fdopendir(again);
    if (entries == nullptr) {
        const file_status failed = last_error();
        ::close(again);
        return failed;
    }
    errno = 0;
    while (const dirent* e = ::readdir(entries)) {
        struct stat facts {};
        if (::fstatat(handle_, e->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode))
            files.push_back({e->d_name, static_cast<std::uint64_t>(facts.st_size), static_cast<std::int64_t>(facts.st_mtime)});
        errno = 0;  // a file that is gone by now is no error
    }
    const file_status end = last_error();
    ::closedir(entries);
    return end;
}

std::string user_cache_folder() {
    // The base directory specification ignores relative paths.
    if (const auto folder = environment_variable("XDG_CACHE_HOME"); folder && folder->starts_with('/')) return *folder;
    if (const auto home = environment_variable("HOME"); home && home->starts_with('/')) return *home + "/.cache";
    return {};
}

std::uint64_t process_number() { return static_cast<std::uint64_t>(::getpid()); }

#endif

}  // namespace quern::platform
