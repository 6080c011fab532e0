// A kernel as the public handles share it: its body, and everything that was compiled from it.
#pragma once

#include <quern/artifact.hpp>
#include <quern/detail/parameter_desc.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "dsl/trace/trace_kernel.hpp"
#include "jit/runtime/device_state.hpp"
#include "jit/runtime/variant.hpp"

namespace quern::jit {

/// A module on its way to code, with what was measured.
struct traced_kernel {
    ir::module module;  ///< after the passes
    double trace_ms = 0;
    double passes_ms = 0;
};

}  // namespace quern::jit

namespace quern::quern_detail {

/// Whether a trace reads the names of values from the user's source: only where people will see them.
enum class names : std::uint8_t { omit, from_source };

class kernel_state : public jit::reference_counted<kernel_state> {
public:
    /// `where` is the "file:line" of its construction.
    /// `file` and `line` are where the kernel was made.
    kernel_state(std::string name, std::string file, std::uint32_t line, std::unique_ptr<const kernel_body> body,
                 std::span<const parameter_desc> parameters);
    /// A kernel that is IR already. Its own kind of launch is the only one it has.
    explicit kernel_state(ir::module m);
    ~kernel_state();

    const std::string& name() const { return name_; }

    /// The variant if it is there. Never locks, waits or allocates.
    jit::variant* find(const device_state& d, ir::launch_kind kind) const noexcept;
    /// The variant; traces, compiles and loads it if need be, once however many threads ask.
    jit::variant& get(device_state& d, ir::launch_kind kind);

    /// Trace, passes and checks for a target, without compiling.
    jit::traced_kernel trace(const target_info& target, ir::launch_kind kind, names n = names::omit);
    /// The kind that a launch of this kernel is most likely of: tiles if it calls covers(), else over.
    ir::launch_kind usual_launch(const target_info& target);
    /// Every kind that the kernel can be launched with.
    std::vector<ir::launch_kind> possible_launches(const target_info& target);

private:
    ir::module trace_body(const target_info& target, ir::launch_kind kind, names n);
    jit::variant* build(device_state& d, ir::launch_kind kind);

    std::string name_;
    std::string file_;
    std::uint32_t line_ = 0;
    std::unique_ptr<const kernel_body> body_;
    std::span<const parameter_desc> parameters_;
    std::optional<ir::module> module_;

    std::mutex body_mutex_;            ///< the body runs one trace at a time
    std::mutex build_mutex_;
    std::atomic<jit::variant*> variants_{nullptr};  ///< only ever grows
};

}  // namespace quern::quern_detail
