// CUDA's handles of other people's as our devices, queues and buffers.
#include <quern/cuda.hpp>
#include <quern/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "backends/registry.hpp"
#include "jit/runtime/buffer_state.hpp"
#include "jit/runtime/device_state.hpp"
#include "jit/runtime/queue_state.hpp"
#include "jit/runtime/runtime_state.hpp"

namespace quern::quern_detail {
namespace {

device_state& require_cuda(device_state* state, const char* call) {
    forbid_in_trace(call);
    device_state& d = require(state, "device");
    if (d.target().info.backend != quern::backend::cuda)
        throw usage_error(fmt::format("{}: {} is no CUDA device", call, d.id()));
    return d;
}

}  // namespace

buffer_state* adopt_cuda_memory(device_state* state, std::uint64_t address, std::size_t size_bytes, std::size_t element_bytes) {
    device_state& d = require_cuda(state, "adopt_cuda_buffer");
    const std::uint64_t alignment = std::min<std::uint64_t>(16, std::uint64_t{1} << std::countr_zero(element_bytes));
    if (address % alignment != 0)
        throw usage_error(fmt::format("adopt_cuda_buffer: the address {:#x} is not a multiple of {}, which elements of {} "
                                      "bytes need", address, alignment, element_bytes));
    return new buffer_state(handle<device_state>::share(&d), d.device().adopt_memory(address, 0, size_bytes));
}

}  // namespace quern::quern_detail

namespace quern {

device adopt_cuda_context(void* context) {
    using namespace quern_detail;
    forbid_in_trace("adopt_cuda_context");
    if (context == nullptr) throw usage_error("adopt_cuda_context: the context is null");
    backends::backend* const b = backends::find("cuda");
    backends::native_device native;
    native.device = context;
    std::unique_ptr<backends::device> d = b->adopt(native);
    if (d == nullptr) throw usage_error("adopt_cuda_context: this build has no CUDA backend");
    return runtime_state::standard().adopt(*b, "cuda", std::move(d));
}

queue adopt_cuda_stream(const device& d, void* stream) {
    using namespace quern_detail;
    device_state& state = require_cuda(d.state(), "adopt_cuda_stream");
    return queue(handle(new queue_state(state, handle<device_state>::share(&state), state.device().adopt_queue(stream))));
}

}  // namespace quern
