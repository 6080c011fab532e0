// What an object says about itself in its section ".quern", read without LLVM.
#pragma once

#include <cstddef>
#include <span>

#include "backends/cpu/codegen_abi.hpp"

namespace quern::cpu {

/// Throws internal_error for bytes that are no object of the code generator's. Trusts no offset in them.
quern_cpu_code read_facts(std::span<const std::byte> object);

}  // namespace quern::cpu
