#include "backends/cpu/program.hpp"

#include <algorithm>
#include <new>
#include <variant>

#include "backends/cpu/code_facts.hpp"
#include "backends/cpu/codegen_module.hpp"
#include "backends/cpu/scheduler.hpp"
#include "platform/floating_point.hpp"

namespace quern::cpu {
namespace {

/// Shared and spilled storage of the workgroup that this thread runs. Grows when a program first needs more.
class thread_scratch {
public:
    thread_scratch() = default;
    thread_scratch(const thread_scratch&) = delete;
    thread_scratch& operator=(const thread_scratch&) = delete;
    ~thread_scratch() { free(); }

    void* at_least(std::uint64_t size_bytes) {
        if (size_bytes > size_bytes_) {
            free();
            data_ = ::operator new(size_bytes, alignment);
            size_bytes_ = size_bytes;
        }
        return data_;
    }

private:
    static constexpr std::align_val_t alignment{64};
    void free() {
        ::operator delete(data_, alignment);
        data_ = nullptr;
        size_bytes_ = 0;
    }
    void* data_ = nullptr;
    std::uint64_t size_bytes_ = 0;
};

/// A guess: statements, with 16 rounds a loop. Decides how finely a launch is split, never whether it is right.
class cost_estimate {
public:
    explicit cost_estimate(const ir::module& m) : module_(m) {}

    std::uint64_t of(ir::block_id b) const {
        if (b.is_none()) return 0;
        std::uint64_t cost = 0;
        for (const ir::statement& s : module_[b].statements)
            cost = std::min(most, cost + std::visit([&](const auto& kind) { return of_statement(kind); }, s));
        return cost;
    }

private:
    static constexpr std::uint64_t rounds = 16;
    static constexpr std::uint64_t most = 1u << 24;

    std::uint64_t of_statement(const ir::if_statement& s) const { return 1 + of(s.then_block) + of(s.else_block); }
    std::uint64_t of_statement(const ir::for_statement& s) const { return 1 + rounds * of(s.body); }
    std::uint64_t of_statement(const ir::while_statement& s) const { return 1 + rounds * (of(s.head) + of(s.body)); }
    std::uint64_t of_statement(const ir::switch_statement& s) const {
        std::uint64_t cost = 1 + of(s.default_block);
        for (const ir::switch_case& c : module_.cases_of(s)) cost += of(c.body);
        return cost;
    }
    std::uint64_t of_statement(const ir::define&) const { return 1; }
    std::uint64_t of_statement(const ir::store&) const { return 1; }
    std::uint64_t of_statement(const ir::declare&) const { return 0; }
    std::uint64_t of_statement(const ir::break_statement&) const { return 0; }
    std::uint64_t of_statement(const ir::continue_statement&) const { return 0; }
    std::uint64_t of_statement(const ir::return_statement&) const { return 0; }
    std::uint64_t of_statement(const ir::barrier&) const { return 1; }
    std::uint64_t of_statement(const ir::fence&) const { return 1; }
    std::uint64_t of_statement(const ir::assume&) const { return 0; }

    const ir::module& module_;
};

/// How a dispatch is cut: rows of `units` invocations or workgroups, each into `pieces` of `piece` units; a task runs
/// `grain` consecutive pieces.
struct plan {
    std::uint64_t units, rows_y, rows_z;
    std::uint64_t piece, pieces, grain;

    std::uint64_t count() const { return pieces * rows_y * rows_z; }
};

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

plan make_plan(const std::uint64_t (&size)[3], std::uint64_t unit_cost, std::uint64_t piece_multiple,
               std::uint32_t threads) {
    constexpr std::uint64_t least_cost = 1u << 16;  // some microseconds: what handing out a task must be small against
    constexpr std::uint64_t tasks_per_thread = 16;  // the last one, if it is thrice as long as others, costs a twentieth
    plan p{size[0], size[1], size[2], 0, 0, 1};
    const std::uint64_t rows = p.rows_y * p.rows_z;
    const std::uint64_t even_share = divide_up(p.units * rows, threads * tasks_per_thread);
    const std::uint64_t wanted = std::max({even_share, divide_up(least_cost, unit_cost), std::uint64_t{1}});
    if (wanted >= p.units) {
        p.piece = p.units;
        p.grain = std::max<std::uint64_t>(wanted / p.units, 1);
    } else {
        p.piece = std::min(divide_up(wanted, piece_multiple) * piece_multiple, p.units);
    }
    p.pieces = divide_up(p.units, p.piece);
    return p;
}

struct task {
    const quern_cpu_launch& launch;
    quern_cpu_entry entry;
    std::uint64_t scratch_bytes;
    plan p;

    void run(std::uint64_t first, std::uint64_t last) const {
        thread_local thread_scratch scratch;
        void* const memory = scratch_bytes != 0 ? scratch.at_least(scratch_bytes) : nullptr;
        const platform::default_floating_point environment;
        for (std::uint64_t i = first; i < last; ++i) {
            const std::uint64_t row = i / p.pieces;
            const std::uint64_t begin = i % p.pieces * p.piece;
            entry(&launch, begin, std::min(begin + p.piece, p.units), row % p.rows_y, row / p.rows_y, memory);
        }
    }
};

void collect_error(void* context, std::uint32_t, const void* data, std::size_t size) {
    static_cast<std::string*>(context)->assign(static_cast<const char*>(data), size);
}

}  // namespace

program::program(const backends::artifact& code, const ir::module& m, const backends::compile_options& o)
    : kernel_name_(m.name), code_(read_facts(code.bytes)) {
    if (o.debug) {
        std::string error;
        linked_ = codegen_module().load(code.bytes.data(), code.bytes.size(), &entry_, collect_error, &error);
        if (linked_ == nullptr)
            throw internal_error("kernel \"" + kernel_name_ + "\": its code cannot be linked: " + error);
    } else {
        placed_ = placed_object(code.bytes);
        entry_ = placed_.entry();
    }
    unit_cost_ = 1 + cost_estimate(m).of(m.body);
    if (code_.range_form == 0)
        for (const std::uint32_t size : m.workgroup_size) unit_cost_ *= std::max(size, 1u);
}

program::~program() {
    if (linked_ != nullptr) codegen_module().unload(linked_);
}

void program::run(const quern_cpu_launch& launch, scheduler* s, std::uint32_t threads) const {
    // Pieces end at cache lines and whole vectors, whatever the element type.
    const std::uint64_t multiple = code_.range_form != 0 ? 64 : 1;
    const task t{launch, entry_, code_.scratch_bytes,
                 make_plan(code_.range_form != 0 ? launch.extent : launch.groups, unit_cost_, multiple, threads)};
    try {
        if (s == nullptr || t.p.count() <= t.p.grain) {
            t.run(0, t.p.count());
        } else {
            s->run(t.p.count(), t.p.grain,
                   [](void* context, std::uint64_t first, std::uint64_t last) {
                       static_cast<const task*>(context)->run(first, last);
                   },
                   const_cast<task*>(&t));
        }
    } catch (const std::bad_alloc&) {
        throw device_error("kernel \"" + kernel_name_ + "\": no memory for the " + std::to_string(code_.scratch_bytes) +
                           " bytes of its workgroups");
    }
}

}  // namespace quern::cpu
