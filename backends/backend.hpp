// The contract between the runtime and a backend: enumerate devices, allocate, compile a module for a target to
// bytes, load bytes to a program, encode dispatches and copies into a list, submit the list, wait on events.
// Backends throw quern::compile_error and quern::device_error, converted once at their edge.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.hpp>
#include <quern/target.hpp>

#include "dsl/ir/module.hpp"

namespace quern::backends {

/// What a program is compiled for: a device's info, or a target named without a device ("cpu:znver4").
struct target {
    target_info info;
    std::string name;           ///< target string; for the CPU "cpu:<cpu name>"
    std::string code_features;  ///< what code generation depends on beyond info, e.g. LLVM's feature string
};

/// Choices of one compilation. Every member is part of the cache key.
struct compile_options {
    std::uint32_t lanes = 0;  ///< CPU lane width and subgroup size; 0: the target's
    std::uint32_t vectors = 0;  ///< CPU: vectors of lanes in flight, 1, 2 or 4; 0: what suits the kernel
    bool debug = false;
    bool checked = false;
};

/// Bytes that `device::load` accepts, with what was seen on the way to them.
struct artifact {
    std::vector<std::byte> bytes;
    std::string format;  ///< "elf", "spirv", "cubin", "qir"
    std::string log;     ///< the compiler's own remarks
};

/// One readable stage of a compilation.
struct stage {
    std::string name;  ///< "ir", "llvm", "assembly", "spirv" …
    std::string text;
};

enum class memory_kind : std::uint8_t { device, host_visible };

/// One allocation, owned or adopted. `address` is the driver's own handle (pointer, CUdeviceptr, VkBuffer).
class memory {
public:
    virtual ~memory() = default;
    std::size_t size_bytes = 0;
    std::uint64_t address = 0;
    std::byte* mapped = nullptr;  ///< host pointer, or null where the host cannot reach it
};

/// Code that is loaded on a device and ready to dispatch.
class program {
public:
    virtual ~program() = default;
};

/// One kernel argument as it is encoded: a range of a buffer, or a value's bytes in the launch's constant block.
struct buffer_argument {
    const memory* buffer = nullptr;
    std::uint64_t offset_bytes = 0;
    std::uint64_t count = 0;  ///< elements
};

/// One dispatch. Spans are read during encode only. The k-th parameter of the module is, by its kind, the next
/// element of `buffers` or the next value in `values` (each value at its host alignment, in order).
struct dispatch {
    const backends::program* program = nullptr;
    std::span<const buffer_argument> buffers;
    std::span<const std::byte> values;
    std::array<std::uint64_t, 3> extent{1, 1, 1};   ///< invocations of `over`, elements of `tiles`
    std::array<std::uint64_t, 3> groups{1, 1, 1};   ///< workgroups; of `over` without a workgroup size: unused
};

/// A point in a queue's work. Signalled when everything submitted before it has finished.
class event {
public:
    virtual ~event() = default;
    virtual bool done() const = 0;
    /// Blocks; throws device_error if the work before it failed.
    virtual void wait() = 0;
    /// Device time in nanoseconds at which it was reached; valid when done.
    virtual std::uint64_t timestamp_ns() const = 0;
};

/// A queue executes what is submitted in order. encode_* append to the open list without allocating when warm;
/// submit hands the list to the device. Objects named by encoded work must outlive it: `retain` passes a
/// reference that is dropped when the work is done (release is called with it, from any thread).
/// The caller serialises encode_*, retain, submit and record; synchronize and events may be used beside them.
class queue {
public:
    virtual ~queue() = default;
    virtual void encode(const dispatch& d) = 0;
    virtual void encode_copy(const memory& from, std::uint64_t from_offset, const memory& to, std::uint64_t to_offset,
                             std::uint64_t size_bytes) = 0;
    virtual void encode_fill(const memory& to, std::uint64_t offset, std::uint64_t size_bytes, std::uint8_t byte) = 0;
    /// The bytes are read before it returns.
    virtual void encode_upload(std::span<const std::byte> from, const memory& to, std::uint64_t to_offset) = 0;
    /// `to` is written when the work is done and must live until then.
    virtual void encode_download(const memory& from, std::uint64_t from_offset, std::span<std::byte> to) = 0;
    /// What is encoded later starts after `e`, which may belong to another queue of the device.
    virtual void encode_wait(std::shared_ptr<event> e) = 0;
    /// Belongs to the work that was encoded last and is not yet submitted.
    virtual void retain(void* object, void (*release)(void*) noexcept) = 0;
    virtual void submit() = 0;
    /// True if one more dispatch can be encoded and submitted now without allocating, locking or waiting.
    virtual bool ready() const { return true; }
    virtual std::shared_ptr<event> record() = 0;
    /// Waits for all that was submitted; throws the first asynchronous device_error since the last wait.
    virtual void synchronize() = 0;
};

/// A device that the program around us owns, as the driver's own handles.
struct native_device {
    void* instance = nullptr;
    void* physical = nullptr;
    void* device = nullptr;  ///< Vulkan: the device; CUDA: the context
    void* queue = nullptr;
    std::uint32_t family = 0;
    void (*get_proc)() = nullptr;  ///< the function that looks up all others
};

/// What a device must be created with before it can be adopted.
struct native_requirements {
    std::span<const char* const> extensions;
    const void* features = nullptr;
    std::shared_ptr<const void> owner;  ///< null where the backend adopts nothing
};

class device {
public:
    virtual ~device() = default;
    virtual const backends::target& target() const = 0;
    /// Throws device_error when the device's memory budget does not allow it; the device still works.
    virtual std::unique_ptr<memory> allocate(std::size_t size_bytes, memory_kind kind) = 0;
    /// Host memory used in place, where the device can; null where it cannot.
    virtual std::unique_ptr<memory> wrap(std::span<std::byte> host) = 0;
    /// Encodes one dispatch into a command buffer of the caller's, without barriers; false where there is no such thing.
    /// What it needs is kept by the program.
    virtual bool record(void*, const dispatch&) { return false; }
    virtual std::unique_ptr<program> load(const artifact& code, const ir::module& m, const compile_options& o) = 0;
    virtual std::unique_ptr<queue> make_queue() = 0;
    virtual void* native_handle() = 0;
    /// Handles of the driver's own that somebody else made and keeps alive; null where the backend adopts none. Of a
    /// buffer, the bytes [offset, offset + size).
    virtual std::unique_ptr<memory> adopt_memory(std::uint64_t, std::uint64_t, std::size_t) { return nullptr; }
    virtual std::unique_ptr<queue> adopt_queue(void*) { return nullptr; }
};

/// A device that a backend found: enough to list and rank it without opening it.
struct device_description {
    std::string id;    ///< "cpu", "cuda:0"
    std::string name;
    int rank = 0;      ///< lower is preferred: CUDA 0, discrete Vulkan 1, integrated 2, CPU 3, software Vulkan 4
    bool listed = true;  ///< false: reached by find only
};

struct open_options {
    bool inline_execution = false;  ///< CPU: run on the calling thread, finished on return
    std::uint32_t threads = 0;      ///< CPU: at most so many run a launch; 0: all of the hardware's
    std::uint32_t lanes = 0;        ///< CPU and reference: 0 is the host's own
};

/// A backend: one per registry entry. Stateless but for what its drivers keep.
class backend {
public:
    virtual ~backend() = default;
    virtual std::string_view name() const = 0;
    /// Never throws for absent hardware; `reason` then says what is missing.
    virtual std::vector<device_description> enumerate(std::string& reason) = 0;
    virtual std::unique_ptr<device> open(std::string_view id, const open_options& options) = 0;
    /// A device around the caller's own; null where the backend has no such thing.
    virtual std::unique_ptr<device> adopt(const native_device&) { return nullptr; }
    virtual native_requirements requirements(const native_device&) { return {}; }
    /// The target of this name ("cpu:znver4"), or an info.name that is empty if this backend does not know it.
    virtual target find_target(std::string_view name) = 0;
    /// Reports unsupported op × type pairs, naming op, type and the user's line, as compile_error before code generation.
    virtual artifact compile(const ir::module& m, const target& t, const compile_options& o) = 0;
    /// Readable stages beyond "ir" for the same input.
    virtual std::vector<stage> inspect(const ir::module& m, const target& t, const compile_options& o) = 0;
};

}  // namespace quern::backends
