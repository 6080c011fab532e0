// What compilation leaves to look at: code for a target, and every stage on the way to it as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

/// Code for one target, compiled without a device.
struct artifact {
    std::vector<std::byte> bytes;
    std::string format;  ///< "elf", "spirv", "cubin"
    std::string log;     ///< the compiler's own remarks
};

/// One kernel's stages for one device. Stages that the device's backend does not have are empty.
struct inspection {
    struct stage {
        std::string name;  ///< "ir", "llvm", "assembly" …
        std::string text;
    };

    std::vector<stage> stages;  ///< in the order in which they are made
    std::string ir;             ///< after the passes; the printed form parses back
    std::string llvm;
    std::string spirv;
    std::string cuda;
    std::string ptx;
    std::string assembly;
    double trace_ms = 0;    ///< from the body to validated IR
    double passes_ms = 0;
    double compile_ms = 0;  ///< by the backend

    /// The stage of this name, or empty text.
    std::string_view operator[](std::string_view name) const;
};

/// Compiles a kernel in its printed form (.qir) for a named target ("cpu", "cpu:znver4"). usage_error for text that
/// is no kernel ("file:line: …") and for an unknown target; compile_error where the backend refuses it.
artifact compile_ir(std::string_view qir, std::string_view target, std::string_view file = "<qir>");
/// The stages of the same.
inspection inspect_ir(std::string_view qir, std::string_view target, std::string_view file = "<qir>");

}  // namespace quern
