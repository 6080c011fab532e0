// One experiment: a kernel, how it is launched, and the seed of what its buffers and values hold at the start.
// Saved as .qir text with a few comment lines in front, so that it can be read, edited and replayed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::fuzz {

struct trial {
    ir::module kernel;
    std::array<std::uint64_t, 3> extent{1, 1, 1};  ///< invocations of over, elements of tiles
    std::array<std::uint64_t, 3> groups{1, 1, 1};  ///< workgroups, where the kernel has a workgroup size
    std::vector<std::uint64_t> counts;             ///< by parameter: elements of a buffer; 0 for values
    std::vector<std::uint32_t> memory_of;          ///< by parameter: whose memory it uses; itself unless aliased
    std::uint64_t inputs_seed = 0;
    std::vector<std::uint32_t> salts;              ///< by parameter: with the seed, what it holds at the start
    std::string note;                              ///< one line: where it comes from, how it failed
};

/// What the parameters hold before the launch.
struct inputs {
    std::vector<std::vector<std::byte>> buffers;  ///< by parameter; empty for values
    std::vector<std::byte> values;                ///< value parameters, each at its own alignment, in order
};
inputs make_inputs(const trial& t);

/// The .qir text with the launch in comment lines at its front.
std::string to_text(const trial& t);
/// The inverse. Throws usage_error naming `file` where a line does not parse or does not fit the kernel.
trial parse_trial(std::string_view text, std::string_view file);

/// Reads a whole file. Throws usage_error if it cannot.
std::string read_text(const std::string& path);
trial load_trial(const std::string& path);
void save_trial(const trial& t, const std::string& path);

}  // namespace quern::fuzz
