// What this machine's processor is, from the processor itself: no compiler library is asked.
#pragma once

#include <cstdint>
#include <string>

namespace quern::platform {

struct processor {
    std::string name;                    ///< brand string, such as "AMD EPYC 9374F 32-Core Processor"
    std::string vendor;                  ///< "AuthenticAMD"
    std::string features;                ///< comma list of the instruction sets that matter to code generation
    std::string identity;                ///< model and all feature words: equal processors have equal ones
    std::uint32_t vector_bytes = 16;     ///< widest vectors that processor and system support
    std::uint32_t hardware_threads = 1;  ///< that this process may use
};

/// Found out once.
const processor& this_processor();

}  // namespace quern::platform
