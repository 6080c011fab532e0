// Contexts, streams and memory that somebody else made, used in place: PyTorch's, CuPy's, a program's own. Takes the
// driver's handles as they are and includes nothing of CUDA.
#pragma once

#include <quern/device.hpp>

#include <cstdint>

namespace quern {

namespace quern_detail {

/// `size_bytes` from a CUdeviceptr on. usage_error where the device is not CUDA or the address lacks the alignment.
buffer_state* adopt_cuda_memory(device_state* d, std::uint64_t address, std::size_t size_bytes, std::size_t element_bytes);

}  // namespace quern_detail

/// The device of a CUcontext, which must outlive it. The default runtime's settings apply. The primary context, which
/// CUDA's runtime library uses, needs no adoption: device::find("cuda:0") shares it.
device adopt_cuda_context(void* context);

/// A queue on a CUstream of the device's context; null is its default stream. The stream must outlive the queue and is
/// never destroyed by it: what else is put on it is ordered with the queue's work.
queue adopt_cuda_stream(const device& d, void* stream);

/// `n` elements at a CUdeviceptr, such as a tensor's data_ptr(). The memory must outlive the buffer and its work.
/// usage_error unless the address is a multiple of the largest power of two up to 16 that divides sizeof(T).
///     buffer<float> x = adopt_cuda_buffer<float>(gpu, pointer, n);
template <class T>
buffer<T> adopt_cuda_buffer(const device& d, std::uint64_t pointer, quern_detail::host_count n) {
    return quern_detail::buffer_access::make<T>(
        quern_detail::adopt_cuda_memory(d.state(), pointer, n.value * sizeof(T), sizeof(T)), n.value);
}

}  // namespace quern
