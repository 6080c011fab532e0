// One kernel traced, compiled and loaded for one device and kind of launch, with what a launch must check.
#pragma once

#include <quern/detail/handle.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "dsl/ir/module.hpp"
#include "jit/runtime/reference_count.hpp"

namespace quern::jit {

/// One parameter as a launch packs it.
struct parameter_layout {
    ir::parameter_kind kind;
    bool is_written;
    bool is_aliased;
    bool has_narrow_size;        ///< the kernel asks for the size as 32 bits
    bool has_wide_size;
    std::uint32_t size_bytes;    ///< of an element or of the value
    std::uint32_t value_offset;  ///< of a value in the launch's constant block
};

/// What launches need to know of a module; found once.
struct launch_facts {
    std::string kernel_name;
    std::vector<parameter_layout> parameters;
    std::uint32_t buffer_count = 0;
    std::uint32_t values_bytes = 0;
    std::array<std::uint32_t, 3> workgroup_size{};
    std::array<std::uint32_t, 2> covers{};
    std::uint32_t dimensions = 1;  ///< that the kernel tells apart: by an id, a count, its workgroup or what that covers
    bool is_cooperative = false;
    bool has_wide_ids = false;
};

launch_facts find_launch_facts(const ir::module& m);

/// usage_error, naming the kernel, for what the target or the kind of launch does not allow: a missing or too large
/// workgroup size, too much shared memory, tiles without covers. `where` is the kernel's "file:line", or empty.
void check_against_target(const ir::module& m, const target_info& t, std::string_view where = {});

/// Kept alive by its kernel and by queued work. Keeps the backend's device, which its program needs, but not the
/// runtime's: a long-lived kernel would hold the queue and the thread of every device that it ever ran on.
class variant : public reference_counted<variant> {
public:
    variant(const quern_detail::device_state& d, ir::launch_kind kind);
    bool is_for(const quern_detail::device_state& d, ir::launch_kind kind) const noexcept;

private:
    std::shared_ptr<backends::device> device_;  // destroyed after the program
    std::uint64_t device_number_;

public:
    ir::launch_kind launch;
    launch_facts facts;
    std::unique_ptr<backends::program> program;
    variant* next = nullptr;  ///< of the kernel's list; written before the variant is published
};

}  // namespace quern::jit
