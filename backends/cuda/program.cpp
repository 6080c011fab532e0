#include "backends/cuda/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <set>

#include "backends/cuda/compile.hpp"

namespace quern::cuda {
namespace {

/// Names outlive their kernels: an error may be reported late.
const std::string* keep_name(const std::string& name) {
    static std::mutex mutex;
    static auto* const names = new std::set<std::string>;
    const std::scoped_lock lock(mutex);
    return &*names->insert(name).first;
}

/// The values that cuLaunchKernel is given addresses of.
class entry_arguments {
public:
    entry_arguments(const kernel_facts& f, const backends::dispatch& d) : facts_(f) {
        if (f.parameters.size() > inline_count) {
            heap_words_ = std::make_unique<std::uint64_t[]>(f.parameters.size());
            heap_addresses_ = std::make_unique<void*[]>(f.parameters.size());
            words_ = heap_words_.get();
            addresses_ = heap_addresses_.get();
        }
        for (std::size_t i = 0; i < f.parameters.size(); ++i) {
            const entry_parameter& p = f.parameters[i];
            addresses_[i] = &words_[i];
            switch (p.kind) {
                case entry_kind::buffer:
                    words_[i] = d.buffers[p.number].buffer->address + d.buffers[p.number].offset_bytes;
                    break;
                case entry_kind::size: words_[i] = d.buffers[p.number].count; break;
                case entry_kind::value:
                    addresses_[i] = const_cast<std::byte*>(d.values.data() + p.offset);  // is only read
                    break;
                case entry_kind::extent: words_[i] = d.extent[p.number]; break;
                case entry_kind::group_count: words_[i] = d.groups[p.number]; break;
                case entry_kind::first_group: words_[i] = 0; break;
            }
        }
    }
    void set_first_group(const std::array<std::uint64_t, 3>& first) {
        for (std::size_t i = 0; i < facts_.parameters.size(); ++i)
            if (facts_.parameters[i].kind == entry_kind::first_group) words_[i] = first[facts_.parameters[i].number];
    }
    void** addresses() { return addresses_; }

private:
    static constexpr std::size_t inline_count = 96;
    const kernel_facts& facts_;
    std::array<std::uint64_t, inline_count> inline_words_;
    std::array<void*, inline_count> inline_addresses_;
    std::unique_ptr<std::uint64_t[]> heap_words_;
    std::unique_ptr<void*[]> heap_addresses_;
    std::uint64_t* words_ = inline_words_.data();  // little-endian: a narrow parameter is read from its front
    void** addresses_ = inline_addresses_.data();
};

constexpr unsigned narrow(std::uint64_t n) { return static_cast<unsigned>(n); }

}  // namespace

std::array<std::uint32_t, 3> choose_block(const kernel_facts& f, const std::array<std::uint64_t, 3>& extent) {
    if (!f.is_open()) return f.block;
    if (f.block_dimensions == 1) return {open_block_threads, 1, 1};
    constexpr std::array<std::uint32_t, 3> most{open_block_threads, open_block_threads, 64};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::uint32_t left = open_block_threads;
    const auto grow = [&](std::uint32_t d, std::uint32_t limit) {
        const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::bit_ceil(std::min<std::uint64_t>(extent[d], limit)), limit));
        while (block[d] < wanted && left > 1) block[d] *= 2, left /= 2;
    };
    grow(0, 32);
    for (std::uint32_t d = 1; d < f.block_dimensions; ++d) grow(d, std::min<std::uint32_t>(most[d], f.block_dimensions == 3 ? 8 : 256));
    for (std::uint32_t d = 0; d < f.block_dimensions; ++d) grow(d, most[d]);
    return block;
}

program::program(std::shared_ptr<context> c, const backends::artifact& code, const ir::module& m)
    : context_(std::move(c)), facts_(find_kernel_facts(m)), kernel_name_(keep_name(m.name)) {
    const current_context now(*context_);
    const driver& call = context_->call();
    const std::string entry = find_entry(code);
    if (entry.empty()) throw compile_error(fmt::format("kernel \"{}\": the {} code has no entry", m.name, code.format));
    std::string log(8192, '\0');
    int options[] = {jit_error_log, jit_error_log_bytes};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
    if (const int error = call.module_load(&module_, code.bytes.data(), 2, options, values); error != 0) {
        log.resize(std::char_traits<char>::length(log.c_str()));
        if (is_sticky(error) || failed_with(error, code::out_of_memory)) context_->check(error, "cuModuleLoadDataEx");
        throw compile_error(fmt::format("kernel \"{}\" for {}: cuModuleLoadDataEx: {}{}{}", m.name, context_->id(),
                                        call.describe(error), log.empty() ? "" : ": ", log), log);
    }
    try {
        context_->check(call.module_function(&function_, module_, entry.c_str()), "cuModuleGetFunction");
        if (facts_.has_dynamic_shared())
            context_->check(call.function_set(function_, function_max_dynamic_shared_bytes, static_cast<int>(facts_.shared_bytes)),
                            "cuFuncSetAttribute");
    } catch (...) {
        call.module_unload(module_);
        throw;
    }
}

program::~program() {
    const current_context now(*context_);
    context_->call().module_unload(module_);
}

void program::launch(const backends::dispatch& d, stream_handle s) const {
    const std::array<std::uint32_t, 3> block = choose_block(facts_, d.extent);
    std::array<std::uint64_t, 3> groups = d.groups;
    if (facts_.is_open())
        for (std::size_t i = 0; i < 3; ++i) groups[i] = d.extent[i] / block[i] + (d.extent[i] % block[i] != 0);
    entry_arguments arguments(facts_, d);
    const unsigned shared_bytes = facts_.has_dynamic_shared() ? facts_.shared_bytes : 0;
    std::array<std::uint64_t, 3> first{};
    const auto left = [&](std::size_t dimension) { return narrow(std::min(groups[dimension] - first[dimension], most_blocks[dimension])); };
    for (first[2] = 0; first[2] < groups[2]; first[2] += most_blocks[2])
        for (first[1] = 0; first[1] < groups[1]; first[1] += most_blocks[1])
            for (first[0] = 0; first[0] < groups[0]; first[0] += most_blocks[0]) {
                if ((first[0] | first[1] | first[2]) != 0) arguments.set_first_group(first);
                context_->check(context_->call().launch(function_, left(0), left(1), left(2), block[0], block[1], block[2],
                                                        shared_bytes, s, arguments.addresses(), nullptr),
                                "cuLaunchKernel");
            }
}

}  // namespace quern::cuda
