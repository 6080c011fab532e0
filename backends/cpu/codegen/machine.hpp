// From an LLVM module to an object: the machine, the passes, the emission. Owns no state.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

namespace quern::cpu::codegen {

enum class optimisation : std::uint8_t { off, full };

/// The x86-64 machine of this CPU name and feature string; throws quern::compile_error if LLVM knows none.
std::unique_ptr<llvm::TargetMachine> make_machine(const std::string& cpu, const std::string& features, optimisation o);

/// True where the machine has the feature, named as LLVM names it ("fma").
bool has_feature(const llvm::TargetMachine& machine, const char* feature);

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
