// From an LLVM module to an object: the machine, the passes, the emission. Each thread keeps the machine that it used
// last, since making one costs as much as compiling a small kernel.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

namespace quern::cpu::codegen {

enum class optimisation : std::uint8_t { off, full };

/// The x86-64 machine of this CPU name and feature string; throws quern::compile_error if LLVM knows none. It is this
/// thread's, until the next call.
llvm::TargetMachine& machine_for(const std::string& cpu, const std::string& features, optimisation o);

/// True where the machine has the feature, named as LLVM names it ("fma").
bool has_feature(const llvm::TargetMachine& machine, const char* feature);

/// How many values of `lanes` scalars of 32 bits the machine's vector registers hold together.
unsigned vector_registers(unsigned lanes, const llvm::TargetMachine& machine);

/// Lanes of 32 bits fill one register; wider elements take several.
unsigned vector_register_bits(unsigned lanes, bool has_avx512);

/// Says which vector registers the code of this width should use.
void prefer_vectors_of(llvm::Module& m, unsigned lanes, const llvm::TargetMachine& machine);

void optimise(llvm::Module& m, llvm::TargetMachine& machine);

enum class file_kind : std::uint8_t { object, assembly };
llvm::SmallVector<char, 0> emit_file(llvm::Module& m, llvm::TargetMachine& machine, file_kind kind);

/// Names that the object needs from elsewhere, separated by spaces; empty for a whole object.
/// Throws quern::compile_error where the bytes are no object.
std::string undefined_symbols(llvm::StringRef object);

}  // namespace quern::cpu::codegen
