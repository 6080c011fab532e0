// One scalar of a Quern value, for all lanes of a vector: one LLVM scalar where the lanes agree, a base and a stride
// where they count up, a vector otherwise.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Value.h>

#include <cstdint>

namespace quern::cpu::codegen {

enum class shape : std::uint8_t { uniform, affine, varying };

struct lane_value {
    llvm::Value* value = nullptr;   ///< uniform: the scalar; affine: lane 0's; varying: the vector
    codegen::shape shape = shape::uniform;
    std::int64_t stride = 0;        ///< affine, likely: added from lane to lane, modulo the type's width
    bool ordered = false;           ///< affine: lane 0 is the smallest of the lanes that exist, without wrapping

    llvm::Value* likely = nullptr;  ///< varying: lane 0's number where the lanes count up by `stride` after all
    llvm::Value* counts = nullptr;  ///< varying: whether they do, found out while the kernel runs

    static lane_value uniform(llvm::Value* v) { return {v, shape::uniform, 0, false, nullptr, nullptr}; }
    static lane_value varying(llvm::Value* v) { return {v, shape::varying, 0, false, nullptr, nullptr}; }
    static lane_value affine(llvm::Value* base, std::int64_t stride) {
        return {base, stride == 0 ? shape::uniform : shape::affine, stride, false, nullptr, nullptr};
    }
    bool is_uniform() const { return shape == shape::uniform; }
};

/// A whole value: its scalars in order (components, elements and members flattened).
using components = llvm::SmallVector<lane_value, 4>;

}  // namespace quern::cpu::codegen
