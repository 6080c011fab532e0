// Loaded CPU code and how one dispatch of it runs.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "backends/backend.hpp"
#include "backends/cpu/codegen_abi.hpp"
#include "backends/cpu/placed_object.hpp"

namespace quern::cpu {

class scheduler;

class program final : public backends::program {
public:
    /// Throws internal_error for bytes that the code generator did not make.
    program(const backends::artifact& code, const ir::module& m, const backends::compile_options& o);
    program(const program&) = delete;
    program& operator=(const program&) = delete;
    ~program() override;

    /// Runs a dispatch to its end on the scheduler's threads, or on this thread if there is no scheduler or too little
    /// to do. `launch.extent` and `launch.groups` say what. Throws device_error, naming the kernel.
    void run(const quern_cpu_launch& launch, scheduler* s, std::uint32_t threads) const;

private:
    std::string kernel_name_;
    quern_cpu_code code_;
    quern_cpu_entry entry_ = nullptr;
    placed_object placed_;
    void* linked_ = nullptr;       ///< by ORC, which tells debuggers
    std::uint64_t unit_cost_ = 1;  ///< estimated operations of one invocation, or workgroup in group form
};

}  // namespace quern::cpu
