// Places compiled objects in executable memory through ORC. One session for the process, one library an object.
#pragma once

#include <cstddef>

#include "backends/cpu/codegen_abi.hpp"

namespace quern::cpu::codegen {

/// Thread-safe; throws quern::compile_error if the object is damaged or needs symbols from elsewhere.
void* link_object(const void* object, std::size_t size_bytes, quern_cpu_entry& entry);
/// Frees what link_object made; its code must not run any more.
void unlink_object(void* handle);

}  // namespace quern::cpu::codegen
