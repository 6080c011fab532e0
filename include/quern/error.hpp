// The exceptions that Quern throws. What can be expected (a cache miss, an absent backend) is never one.
#pragma once

#include <stdexcept>
#include <string>

namespace quern {

/// Base of all of Quern's exceptions.
class error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    ~error() override;
};

/// The caller's mistake. what() holds file:line of traced mistakes, the kernel's name for launch mistakes.
class usage_error : public error {
public:
    using error::error;
    ~usage_error() override;
};

/// A backend's compiler refused a kernel. log() is what it said, source() what it was given.
class compile_error : public error {
public:
    explicit compile_error(const std::string& what, std::string log = {}, std::string source = {});
    ~compile_error() override;
    const std::string& log() const noexcept { return log_; }
    const std::string& source() const noexcept { return source_; }

private:
    std::string log_;
    std::string source_;
};

/// The driver or the device failed: out of memory, a lost device, a failed check in checked mode.
class device_error : public error {
public:
    using error::error;
    ~device_error() override;
};

/// A bug of Quern's own; what() asks for the IR dump.
class internal_error : public error {
public:
    using error::error;
    ~internal_error() override;
};

}  // namespace quern
