// How a kernel's signature describes itself to the library.
#pragma once

#include <quern/detail/type_desc.hpp>

#include <cstdint>

namespace quern::quern_detail {

enum class parameter_kind : std::uint8_t { buffer, value };
enum class parameter_access : std::uint8_t { read, write, read_write };

struct parameter_desc {
    parameter_kind kind;
    parameter_access access;  ///< of buffers
    bool aliased;
    const type_desc* type;    ///< element type of a buffer, type of a value
};

/// A kernel's body with its C++ type erased. `run` calls the user's callable with parameters 0 … n-1 of the trace
/// that is in progress on this thread.
class kernel_body {
public:
    kernel_body() = default;
    kernel_body(const kernel_body&) = delete;
    kernel_body& operator=(const kernel_body&) = delete;
    virtual ~kernel_body();
    virtual void run() const = 0;
};

/// Specialised by in, out, inout, val and aliased in <quern/parameter.hpp>:
///   static constexpr parameter_desc description;
///   static P make(std::uint32_t number);   // the parameter of the trace in progress
/// and for buffers `using element = T`, for values `using host_type = T`.
template <class P>
struct parameter_traits;

}  // namespace quern::quern_detail
