// One folder of files, reached through an open handle, so that nobody can exchange the folder between a check and a
// use. No exceptions: every function says what the system said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace quern::platform {

/// The system's error number; 0 is success.
class file_status {
public:
    file_status() = default;
    explicit file_status(int error) : error_(error) {}
    bool ok() const { return error_ == 0; }
    /// The file, or its folder, is not there.
    bool is_absent() const;
    std::string message() const;

private:
    int error_ = 0;
};

/// Whose files a folder may hold: what lies there is loaded as code.
enum class folder_owner : std::uint8_t { this_user, this_user_or_root };

struct file_facts {
    std::string name;
    std::uint64_t size_bytes = 0;
    std::int64_t stamp_s = 0;  ///< seconds since 1970: when it was written, or stamped last
};

class folder {
public:
    folder() = default;
    folder(folder&& other) noexcept;
    folder& operator=(folder&& other) noexcept;
    ~folder();

    enum class absence : std::uint8_t { create, leave };
    /// Opens a folder; a created one, its missing parents too, is accessible by its owner only. Otherwise the folder
    /// stays closed, with the reason: `refusal` if it is a symbolic link, someone else's, or writable by others.
    file_status open(const std::string& path, folder_owner owner, absence a, std::string& refusal);
    bool is_open() const { return handle_ >= 0; }

    /// The contents of a regular file that is no symbolic link, at most `most_bytes` of it, and its stamp.
    file_status read(const std::string& name, std::size_t most_bytes, std::vector<std::byte>& contents,
                     std::int64_t& stamp_s) const;
    /// Fails if the file is there.
    file_status write_new(const std::string& name, std::span<const std::byte> contents) const;
    /// Replaces what has the new name, at once for everyone.
    file_status rename(const std::string& from, const std::string& to) const;
    file_status remove(const std::string& name) const;
    /// Sets the file's stamp to now.
    file_status stamp(const std::string& name) const;
    /// Regular files, in no order.
    file_status list(std::vector<file_facts>& files) const;

private:
    int handle_ = -1;
    std::string path_;
};

/// Where the user's programs keep what they can make again: $XDG_CACHE_HOME, else .cache in the user's own folder;
/// empty if neither is known.
std::string user_cache_folder();
/// Seconds since 1970.
std::int64_t now_s();
/// The number of this process.
std::uint64_t process_number();

}  // namespace quern::platform
