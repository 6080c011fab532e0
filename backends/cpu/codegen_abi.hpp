// The C ABI of the module that holds LLVM, and the ABI of the code that it makes. The module is loaded only when
// something must be compiled or linked; everything crosses as plain bytes.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// What compiled kernels read. Layout is fixed by struct order; all pointers are the host's.
struct quern_cpu_launch {
    const void* const* buffers;        ///< base address of each buffer parameter's range, in parameter order
    const std::uint64_t* sizes;        ///< element count of each, in the same order
    const void* values;                ///< value parameters, each at its own alignment, in order
    std::uint64_t extent[3];           ///< of over and tiles
    std::uint64_t groups[3];           ///< workgroup counts
    const void* const* imports;        ///< functions of import_table.hpp, so that objects have no undefined symbols
};

/// range form (module not cooperative, launch over): invocations x in [first, last) of row (y, z).
/// group form (everything else): `first` .. `last` are workgroup ids in x of row (y, z); scratch is 64-byte aligned,
/// quern_cpu_code::scratch_bytes long, one per thread.
typedef void (*quern_cpu_entry)(const quern_cpu_launch* launch, std::uint64_t first, std::uint64_t last,
                                std::uint64_t y, std::uint64_t z, void* scratch);

struct quern_cpu_request {
    const std::uint8_t* ir;            ///< to_bytes(module, side_tables::include)
    std::size_t ir_size;
    const char* cpu;                   ///< LLVM CPU name; null: this host
    const char* features;              ///< LLVM feature string; null: this host's exact features
    std::uint32_t lanes;               ///< 4, 8 or 16
    std::uint32_t vectors;             ///< in flight in a loop over lanes: 1, 2 or 4; 0: what suits the kernel
    std::uint32_t debug;               ///< 1: unoptimised with line tables
    std::uint32_t stages;              ///< bit set of quern_cpu_stage; texts are made only on demand
};
enum quern_cpu_stage { quern_cpu_stage_object = 1, quern_cpu_stage_llvm = 2, quern_cpu_stage_assembly = 4 };

/// Receives one result; `stage` says which, `data` lives during the call only. Errors come with stage 0 as text.
typedef void (*quern_cpu_sink)(void* context, std::uint32_t stage, const void* data, std::size_t size);

/// Facts that travel in the object's section ".quern", also written at its front for the loader.
struct quern_cpu_code {
    std::uint64_t scratch_bytes;
    std::uint32_t lanes;
    std::uint32_t range_form;          ///< 1: range form, 0: group form
};

struct quern_cpu_host {
    char cpu[64];
    char features[4096];
    char llvm_version[32];
    std::uint32_t lanes;               ///< best width for this host: 4, 8 or 16
};

/// One symbol, `quern_cpu_codegen`, returns this table; `abi` must equal quern_cpu_codegen_abi.
enum { quern_cpu_codegen_abi = 2 };
struct quern_cpu_codegen_api {
    std::uint32_t abi;
    void (*host)(quern_cpu_host* out);
    /// 0 on success; thread-safe.
    int (*compile)(const quern_cpu_request* request, quern_cpu_sink sink, void* context);
    /// Links an object through ORC; returns a handle, or null with the reason given to the sink.
    void* (*load)(const void* object, std::size_t size, quern_cpu_entry* entry, quern_cpu_sink sink, void* context);
    void (*unload)(void* handle);
};
typedef const quern_cpu_codegen_api* (*quern_cpu_codegen_function)(void);

}  // extern "C"
