// From a module to machine code for one architecture, and to text for people.
#pragma once

#include <string>

#include "backends/backend.hpp"

namespace quern::cuda {

/// A cubin for the target's architecture, or PTX where this compiler does not know it yet. Throws compile_error with
/// the compiler's log and the source.
backends::artifact compile(const ir::module& m, const backends::target& t, const backends::compile_options& o);

/// "cuda", "ptx", and "assembly" where NVIDIA's disassembler is installed.
std::vector<backends::stage> inspect(const ir::module& m, const backends::target& t, const backends::compile_options& o);

/// Name of the entry in a cubin or PTX; empty if there is none.
std::string find_entry(const backends::artifact& code);

}  // namespace quern::cuda
