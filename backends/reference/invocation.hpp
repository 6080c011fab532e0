// One invocation as a machine with an explicit stack: it runs until a barrier, a subgroup operation or its end.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/reference/memory.hpp"

namespace quern::reference {

/// Where an invocation is in its launch.
struct position {
    std::array<std::uint64_t, 3> global{}, local{}, group{}, groups{1, 1, 1}, extent{1, 1, 1};
    std::uint32_t flat_local = 0;       ///< x fastest
    std::uint32_t workgroup_invocations = 1;
    std::uint32_t lanes = 1;            ///< subgroup size
};

/// What all invocations of a launch share.
struct launch_memory {
    std::span<const std::span<std::byte>> buffers;
    std::span<std::byte> values;
    std::uint64_t step_budget = 0;      ///< statements that one invocation may execute
};

enum class stop : std::uint8_t { none, barrier, exchange, finished };

/// A statement, and which of its two barriers when it is a uniform_load.
struct arrival {
    std::uint32_t block = 0, statement = 0, phase = 0;
    friend auto operator<=>(const arrival&, const arrival&) = default;
};

class invocation {
public:
    invocation(const decoded_kernel& k, const launch_memory& launch, std::span<std::uint64_t> shared);
    invocation(const invocation&) = delete;  // memory_ refers to the vectors' elements, which a move keeps in place
    invocation(invocation&&) = default;

    /// Begins anew at `p` with zeroed local variables.
    void start(const position& p);
    /// Runs to the next stop. Throws device_error on an access out of range or an exhausted step budget.
    stop run();

    stop stopped() const { return stopped_; }
    const arrival& arrived() const { return arrived_; }
    /// The convergent value that a stop::exchange waits for: the scheduler writes its registers.
    ir::value_id exchanged() const { return exchanged_; }
    std::uint64_t* registers(ir::value_id v) { return registers_.data() + kernel_.slot(v); }
    std::uint32_t lane() const { return position_.flat_local % position_.lanes; }
    ir::location_id location() const;

private:
    enum class role : std::uint8_t { plain, for_body, while_head, while_body };
    struct frame {
        ir::block_id block;
        std::uint32_t next = 0;
        invocation::role role = role::plain;
        const ir::for_statement* counted = nullptr;
        const ir::while_statement* conditional = nullptr;
    };

    stop execute(const ir::define& s);
    stop execute(const ir::declare& s);
    stop execute(const ir::store& s);
    stop execute(const ir::if_statement& s);
    stop execute(const ir::for_statement& s);
    stop execute(const ir::while_statement& s);
    stop execute(const ir::switch_statement& s);
    stop execute(const ir::break_statement& s);
    stop execute(const ir::continue_statement& s);
    stop execute(const ir::return_statement& s);
    stop execute(const ir::barrier& s);
    stop execute(const ir::fence& s);
    stop execute(const ir::assume& s);

    void push(ir::block_id b, role r = role::plain);
    void end_block();
    void leave_to_loop();
    void spend_step();

    void compute(ir::value_id v);
    void compute_elementwise(ir::value_id v);
    void compute_construct(ir::value_id v);
    void compute_extract_dynamic(ir::value_id v);
    void compute_reinterpret(ir::value_id v);
    void compute_atomic(ir::value_id v);
    std::uint64_t position_of(ir::value_id v) const;

    std::uint64_t scalar(ir::value_id v) const { return registers_[kernel_.slot(v)]; }

    const decoded_kernel& kernel_;
    const ir::module& module_;
    const std::uint64_t step_budget_;
    std::vector<std::uint64_t> registers_;
    std::vector<std::uint64_t> local_;
    memory_view memory_;
    position position_;
    std::vector<frame> frames_;
    arrival arrived_;
    ir::value_id exchanged_;
    stop stopped_ = stop::finished;
    std::uint32_t phase_ = 0;
    std::uint64_t steps_ = 0;
};

}  // namespace quern::reference
