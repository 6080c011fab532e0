// NVIDIA's driver, opened at run time: our own declarations of the entry points that are used, and the one place where
// its error codes become our exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quern::cuda {

struct context_object;
struct stream_object;
struct event_object;
struct module_object;
struct function_object;
using context_handle = context_object*;
using stream_handle = stream_object*;
using event_handle = event_object*;
using module_handle = module_object*;
using function_handle = function_object*;
using device_pointer = unsigned long long;

/// Codes of the driver's that decide something here.
enum class code : int { success = 0, out_of_memory = 2, no_device = 100, not_ready = 600 };

/// The driver's functions by what they do. All are there once it is loaded.
struct driver {
    int (*init)(unsigned);
    int (*driver_version)(int*);
    int (*error_name)(int, const char**);
    int (*error_text)(int, const char**);
    int (*device_count)(int*);
    int (*device_at)(int*, int);
    int (*device_name)(char*, int, int);
    int (*device_attribute)(int*, int, int);
    int (*device_memory)(std::size_t*, int);
    int (*primary_retain)(context_handle*, int);
    int (*primary_release)(int);
    int (*context_current)(context_handle*);
    int (*context_push)(context_handle);
    int (*context_pop)(context_handle*);
    int (*context_device)(int*);
    int (*memory_info)(std::size_t*, std::size_t*);
    int (*allocate)(device_pointer*, std::size_t);
    int (*free)(device_pointer);
    int (*allocate_host)(void**, std::size_t, unsigned);
    int (*free_host)(void*);
    int (*address_of_host)(device_pointer*, void*, unsigned);
    int (*copy)(device_pointer, device_pointer, std::size_t, stream_handle);
    int (*upload)(device_pointer, const void*, std::size_t, stream_handle);
    int (*download)(void*, device_pointer, std::size_t, stream_handle);
    int (*fill)(device_pointer, unsigned char, std::size_t, stream_handle);
    int (*stream_create)(stream_handle*, unsigned);
    int (*stream_destroy)(stream_handle);
    int (*stream_synchronize)(stream_handle);
    int (*stream_wait)(stream_handle, event_handle, unsigned);
    int (*event_create)(event_handle*, unsigned);
    int (*event_destroy)(event_handle);
    int (*event_record)(event_handle, stream_handle);
    int (*event_query)(event_handle);
    int (*event_synchronize)(event_handle);
    int (*event_elapsed)(float*, event_handle, event_handle);
    int (*module_load)(module_handle*, const void*, unsigned, int*, void**);
    int (*module_unload)(module_handle);
    int (*module_function)(function_handle*, module_handle, const char*);
    int (*function_set)(function_handle, int, int);
    int (*launch)(function_handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, stream_handle,
                  void**, void**);

    /// Loaded and initialised once; null with the reason where there is none or it is too old.
    static const driver* find(std::string& reason);

    /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
    std::string describe(int error) const;
    /// Throws device_error "<where>: <call>: <error>" unless the code is success.
    void check(int error, std::string_view where, std::string_view call) const;
};

/// The driver's numbers of device attributes.
enum class attribute : int {
    max_threads_per_block = 1,
    multiprocessor_count = 16,
    capability_major = 75,
    capability_minor = 76,
    max_shared_memory_per_block_optin = 97,
};

inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_without_timing = 2;
inline constexpr unsigned host_portable = 1, host_mapped = 2;
inline constexpr int function_max_dynamic_shared_bytes = 8;
inline constexpr int jit_error_log = 5, jit_error_log_bytes = 6;

constexpr bool failed_with(int error, code c) { return error == static_cast<int>(c); }

/// After these the context is lost: every later call in it fails with the same code.
bool is_sticky(int error);

}  // namespace quern::cuda
