#include "jit/runtime/launch.hpp"

#include <quern/error.hpp>
#include <quern/prepared.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>

#include "jit/runtime/buffer_state.hpp"
#include "jit/runtime/kernel_state.hpp"
#include "jit/runtime/queue_state.hpp"

namespace quern::jit {
namespace {

constexpr std::uint64_t most_narrow = std::numeric_limits<std::uint32_t>::max();

template <class... Arguments>
[[noreturn]] void fail(const variant& v, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    throw usage_error(fmt::format("kernel \"{}\": ", v.facts.kernel_name) +
                      fmt::format(text, std::forward<Arguments>(arguments)...));
}

std::string print(const quern_detail::misfit& m) {
    return m.is_unsigned ? fmt::format("{}", static_cast<unsigned long long>(m.value)) : fmt::format("{}", m.value);
}

/// Where a range lies, so that ranges of one address space can be compared. Wrapped host memory may be part of
/// another allocation, so addresses count wherever the host sees them.
struct address_range {
    const void* space;
    std::uint64_t first;
    std::uint64_t size_bytes;
};

address_range addresses_of(const quern_detail::buffer_range& r) {
    const backends::memory& m = r.state->memory();
    if (m.mapped != nullptr)
        return {nullptr, reinterpret_cast<std::uintptr_t>(m.mapped) + r.offset_bytes, r.size_bytes};
    return {r.state, r.offset_bytes, r.size_bytes};
}

bool overlap(const address_range& a, const address_range& b) {
    return a.space == b.space && a.first < b.first + b.size_bytes && b.first < a.first + a.size_bytes;
}

}  // namespace

packed_launch::packed_launch(const variant& v, const quern_detail::device_state& d, const launch_shape& shape,
                             std::span<const quern_detail::argument_ref> arguments)
    : buffers_(v.facts.buffer_count), states_(v.facts.buffer_count), values_(v.facts.values_bytes) {
    pack_arguments(v, d, arguments);
    check_overlap(v, arguments);
    pack_shape(v, shape);
}

void packed_launch::pack_arguments(const variant& v, const quern_detail::device_state& d,
                                   std::span<const quern_detail::argument_ref> arguments) {
    const std::span<const parameter_layout> parameters = v.facts.parameters;
    if (arguments.size() != parameters.size())
        fail(v, "{} arguments for {} parameters", arguments.size(), parameters.size());
    std::size_t next_buffer = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const parameter_layout& p = parameters[i];
        if (p.kind == ir::parameter_kind::value) {
            if (const quern_detail::misfit* m = arguments[i].unfit)
                fail(v, "argument {} is {}, which is not representable in the parameter's type {}", i + 1, print(*m),
                     m->type_name);
            std::memcpy(values_.data() + p.value_offset, arguments[i].value, p.size_bytes);
            continue;
        }
        const quern_detail::buffer_range& r = arguments[i].buffer;
        if (r.state == nullptr) fail(v, "argument {} is an empty buffer handle", i + 1);
        if (&r.state->device() != &d)
            fail(v, "argument {} is a buffer of another device: it belongs to {}, the launch to {}", i + 1,
                 r.state->device().id(), d.id());
        const std::uint64_t count = r.size_bytes / p.size_bytes;
        if (count > most_narrow && (p.has_narrow_size || !(p.has_wide_size || v.facts.has_wide_ids)))
            fail(v, "argument {} has {} elements: index type too small, 32-bit ids and sizes end at {}; use "
                    "global_id64() and size64()", i + 1, count, most_narrow);
        buffers_[next_buffer] = {&r.state->memory(), r.offset_bytes, count};
        states_[next_buffer++] = r.state;
    }
}

void packed_launch::check_overlap(const variant& v, std::span<const quern_detail::argument_ref> arguments) const {
    const std::span<const parameter_layout> parameters = v.facts.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!parameters[i].is_written || arguments[i].buffer.size_bytes == 0) continue;
        const address_range written = addresses_of(arguments[i].buffer);
        for (std::size_t j = 0; j < parameters.size(); ++j) {
            const bool is_checked = parameters[j].kind == ir::parameter_kind::buffer &&
                                    arguments[j].buffer.size_bytes != 0 && j != i && (j > i || !parameters[j].is_written);
            if (!is_checked) continue;
            const address_range other = addresses_of(arguments[j].buffer);
            if (!overlap(written, other)) continue;
            const bool is_equal = written.first == other.first && written.size_bytes == other.size_bytes &&
                                  parameters[i].size_bytes == parameters[j].size_bytes;
            if (parameters[i].is_aliased || parameters[j].is_aliased) {
                if (is_equal) continue;
                fail(v, "arguments {} and {} overlap without being equal; aliased<…> allows the same elements or none",
                     i + 1, j + 1);
            }
            fail(v, "argument {} is written and overlaps argument {}; pass different memory, or declare the parameter "
                    "aliased<…> if they are equal element for element", i + 1, j + 1);
        }
    }
}

void packed_launch::pack_shape(const variant& v, const launch_shape& shape) {
    const launch_facts& f = v.facts;
    for (std::size_t d = 0; d < 3; ++d) {
        extent_[d] = shape.extent[d];
        if (extent_[d] > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            fail(v, "extent {} of the launch is negative", static_cast<std::int64_t>(extent_[d]));
        if (extent_[d] > 1 && d >= f.dimensions)
            fail(v, "the launch has an extent of {} in {}, which the kernel tells apart by no id: unused extents must be 1",
                 extent_[d], "xyz"[d]);
    }
    const auto check_narrow = [&](std::uint64_t extent) {
        if (extent > most_narrow && !f.has_wide_ids)
            fail(v, "an extent of {} invocations: index type too small, 32-bit ids end at {}; use global_id64()", extent,
                 most_narrow);
    };
    switch (v.launch) {
        case ir::launch_kind::over:
            for (std::size_t d = 0; d < 3; ++d) {
                check_narrow(extent_[d]);
                const std::uint64_t size = f.workgroup_size[d];
                if (size == 0) continue;
                if (f.is_cooperative && extent_[d] % size != 0)
                    fail(v, "extent {} of the launch is not a multiple of its workgroup size {}", extent_[d], size);
                groups_[d] = extent_[d] / size + (extent_[d] % size != 0);
            }
            break;
        case ir::launch_kind::groups:
            for (std::size_t d = 0; d < 3; ++d) {
                groups_[d] = extent_[d];
                if (groups_[d] > std::numeric_limits<std::uint64_t>::max() / f.workgroup_size[d])
                    fail(v, "{} workgroups are more than can be counted", groups_[d]);
                extent_[d] = groups_[d] * f.workgroup_size[d];
                check_narrow(extent_[d]);
            }
            break;
        case ir::launch_kind::tiles:
            for (std::size_t d = 0; d < 2; ++d) {
                check_narrow(extent_[d]);
                groups_[d] = extent_[d] / f.covers[d] + (extent_[d] % f.covers[d] != 0);
            }
            break;
    }
    std::uint64_t total = 1;
    for (const std::uint64_t e : extent_)
        if (e != 0 && __builtin_mul_overflow(total, e, &total))
            fail(v, "{} x {} x {} invocations are more than can be counted", extent_[0], extent_[1], extent_[2]);
}

bool packed_launch::is_empty() const {
    return std::find(extent_.begin(), extent_.end(), 0u) != extent_.end();
}

void packed_launch::submit_to(quern_detail::queue_state& q, variant& v) {
    backends::queue& work = q.work();
    work.encode(dispatch_of(v));
    v.retain();
    work.retain(&v, [](void* object) noexcept { static_cast<variant*>(object)->release(); });
    for (quern_detail::buffer_state* b : states_.all()) {
        quern_detail::retain_for(work, *b);
        b->note_use(q.bit());
    }
    work.submit();
}

void launch(quern_detail::queue_state& q, quern_detail::kernel_state& k, const launch_shape& shape,
            std::span<const quern_detail::argument_ref> arguments) {
    quern_detail::forbid_in_trace("launch");
    variant& v = k.get(q.device(), kind_of(shape));
    packed_launch packed(v, q.device(), shape, arguments);
    if (packed.is_empty()) return;
    const std::scoped_lock lock(q.mutex());
    packed.submit_to(q, v);
}

}  // namespace quern::jit

namespace quern::quern_detail {

void launch(queue_state* q, kernel_state* k, const launch_shape& shape, const argument_ref* arguments,
            std::size_t count) {
    jit::launch(require(q, "queue"), require(k, "kernel"), shape, {arguments, count});
}

void launch(device_state* d, kernel_state* k, const launch_shape& shape, const argument_ref* arguments,
            std::size_t count) {
    jit::launch(require(d, "device").own_queue(), require(k, "kernel"), shape, {arguments, count});
}

status try_launch(queue_state* q, kernel_state* k, const launch_shape& shape, const argument_ref* arguments,
                  std::size_t count) noexcept {
    if (q == nullptr || k == nullptr) return status::failed;
    jit::variant* v = k->find(q->device(), jit::kind_of(shape));
    if (v == nullptr) return status::not_ready;
    try {
        forbid_in_trace("try_launch");
        jit::packed_launch packed(*v, q->device(), shape, {arguments, count});
        if (packed.is_empty()) return status::ok;
        if (!packed.is_inline()) return status::not_ready;
        const std::unique_lock lock(q->mutex(), std::try_to_lock);
        if (!lock.owns_lock() || !q->work().ready()) return status::not_ready;
        packed.submit_to(*q, *v);
        return status::ok;
    } catch (...) {
        return status::failed;
    }
}

status try_launch(device_state* d, kernel_state* k, const launch_shape& shape, const argument_ref* arguments,
                  std::size_t count) noexcept {
    return d == nullptr ? status::failed : try_launch(&d->own_queue(), k, shape, arguments, count);
}

void throw_other_device(const kernel_state* k) {
    if (k == nullptr) throw usage_error("empty prepared handle: it was default-constructed or moved from");
    throw usage_error(fmt::format("kernel \"{}\": launched on another device than the one it was prepared for", k->name()));
}

}  // namespace quern::quern_detail
