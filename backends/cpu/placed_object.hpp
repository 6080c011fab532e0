// Machine code in memory, placed by a small linker of our own, so that a process whose kernels are all cached never
// starts LLVM. It knows what our code generator emits for self-contained kernels: sections that are loaded, references
// relative to the instruction, no symbols from elsewhere.
#pragma once

#include <cstddef>
#include <span>

#include "backends/cpu/codegen_abi.hpp"
#include "platform/executable_memory.hpp"

namespace quern::cpu {

class placed_object {
public:
    placed_object() = default;
    /// Throws internal_error, which says what is in the way, for an object that needs more than this.
    explicit placed_object(std::span<const std::byte> object);

    quern_cpu_entry entry() const { return entry_; }

private:
    platform::executable_memory memory_;
    quern_cpu_entry entry_ = nullptr;
};

}  // namespace quern::cpu
