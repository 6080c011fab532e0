// NVIDIA's run-time compiler, opened when something must be compiled. Our own declarations of the few entry points:
// nothing of CUDA is needed to build.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace quern::cuda {

/// The compiler that was found on this machine.
class nvrtc {
public:
    /// Opened once; null with the reason where there is none.
    static const nvrtc* find(std::string& reason);

    int major() const { return major_; }
    int minor() const { return minor_; }
    std::string version() const { return std::to_string(major_) + "." + std::to_string(minor_); }
    /// Architectures that it makes machine code for, ascending: 75, 80 …
    const std::vector<int>& architectures() const { return architectures_; }

    enum class output : unsigned char { cubin, ptx };
    struct result {
        bool is_ok = false;
        std::vector<std::byte> code;
        std::string log;
    };
    /// Compiles one source. At most a few at a time: an instance takes hundreds of megabytes.
    result compile(const std::string& source, const std::string& name, const std::vector<std::string>& options, output o) const;

private:
    nvrtc() = default;
    bool open(std::string& reason);
    void find_architectures();

    struct program;
    struct functions {
        int (*version)(int*, int*);
        int (*architecture_count)(int*);
        int (*architectures)(int*);
        int (*create)(program**, const char*, const char*, int, const char* const*, const char* const*);
        int (*destroy)(program**);
        int (*compile)(program*, int, const char* const*);
        int (*cubin_size)(program*, std::size_t*);
        int (*cubin)(program*, char*);
        int (*ptx_size)(program*, std::size_t*);
        int (*ptx)(program*, char*);
        int (*log_size)(program*, std::size_t*);
        int (*log)(program*, char*);
        const char* (*error_text)(int);
    };
    functions call_{};
    int major_ = 0, minor_ = 0;
    std::vector<int> architectures_;
};

}  // namespace quern::cuda
