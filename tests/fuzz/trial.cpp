#include "tests/fuzz/trial.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <fstream>
#include <numeric>
#include <quern/error.hpp>
#include <sstream>

#include "dsl/ir/text.hpp"
#include "tests/fuzz/random_stream.hpp"

namespace quern::fuzz {

namespace {

/// Fills one object of type `t` with interesting values.
void fill(random_stream& random, const ir::module& m, ir::type_id id, std::byte* at) {
    const ir::type& t = m[id];
    switch (t.kind) {
        case ir::type_kind::none: break;
        case ir::type_kind::scalar: case ir::type_kind::vector:
            for (std::uint32_t i = 0; i < t.count; ++i) {
                const std::uint64_t bits = interesting_bits(random, t.scalar);
                std::memcpy(at + i * ir::size_bytes(t.scalar), &bits, ir::size_bytes(t.scalar));  // little-endian host
            }
            break;
        case ir::type_kind::array:
            for (std::uint32_t i = 0; i < t.count; ++i) fill(random, m, t.element, at + i * m[t.element].size_bytes);
            break;
        case ir::type_kind::structure:
            for (const ir::member& part : m.members_of(id)) fill(random, m, part.type, at + part.offset_bytes);
            break;
    }
}

std::size_t rounded_up(std::size_t n, std::size_t alignment) { return (n + alignment - 1) / alignment * alignment; }

template <class Range>
void read_numbers(std::istringstream& words, Range& numbers) {
    for (auto& n : numbers) words >> n;
}

}  // namespace

inputs make_inputs(const trial& t) {
    const ir::module& m = t.kernel;
    inputs result;
    result.buffers.resize(m.parameters.size());
    for (std::size_t number = 0; number < m.parameters.size(); ++number) {
        const ir::parameter& p = m.parameters[number];
        const std::size_t size = m[p.type].size_bytes;
        random_stream random(t.inputs_seed + 0x1'0000'0001u * t.salts[number]);
        if (p.kind == ir::parameter_kind::buffer) {
            std::vector<std::byte>& bytes = result.buffers[number];
            bytes.resize(size * t.counts[number]);
            for (std::uint64_t i = 0; i < t.counts[number]; ++i) fill(random, m, p.type, bytes.data() + i * size);
        } else {
            const std::size_t offset = rounded_up(result.values.size(), m[p.type].alignment_bytes);
            result.values.resize(offset + size);
            fill(random, m, p.type, result.values.data() + offset);
        }
    }
    return result;
}

std::string to_text(const trial& t) {
    return fmt::format("# {}\n# extent {}\n# groups {}\n# counts {}\n# memory {}\n# inputs {} {}\n{}", t.note,
                       fmt::join(t.extent, " "), fmt::join(t.groups, " "), fmt::join(t.counts, " "),
                       fmt::join(t.memory_of, " "), t.inputs_seed, fmt::join(t.salts, " "), ir::print(t.kernel));
}

trial parse_trial(std::string_view text, std::string_view file) {
    trial t;
    std::string launch;
    for (bool first = true; text.starts_with('#'); first = false) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (first) t.note = line.substr(std::min<std::size_t>(2, line.size()));
        else launch += std::string(line.substr(1)) + '\n';
    }
    t.kernel = ir::parse(text, file);
    const std::size_t parameters = t.kernel.parameters.size();
    t.counts.resize(parameters);
    t.memory_of.resize(parameters);
    t.salts.resize(parameters);
    std::iota(t.memory_of.begin(), t.memory_of.end(), 0u);
    std::iota(t.salts.begin(), t.salts.end(), 0u);

    std::istringstream lines(launch);
    for (std::string line, key; std::getline(lines, line);) {
        std::istringstream words(line);
        words >> key;
        if (key == "extent") read_numbers(words, t.extent);
        else if (key == "groups") read_numbers(words, t.groups);
        else if (key == "counts") read_numbers(words, t.counts);
        else if (key == "memory") read_numbers(words, t.memory_of);
        else if (key == "inputs") words >> t.inputs_seed, read_numbers(words, t.salts);
        else throw usage_error(fmt::format("{}: unknown line '#{}' in front of the kernel", file, line));
        if (words.fail()) throw usage_error(fmt::format("{}: too few numbers in '#{}'", file, line));
    }
    for (const std::uint32_t owner : t.memory_of)
        if (owner >= parameters) throw usage_error(fmt::format("{}: memory of an unknown parameter", file));
    return t;
}

std::string read_text(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) throw usage_error(fmt::format("cannot read {}", path));
    return text.str();
}

trial load_trial(const std::string& path) { return parse_trial(read_text(path), path); }

void save_trial(const trial& t, const std::string& path) {
    std::ofstream stream(path, std::ios::binary);
    stream << to_text(t);
    if (!stream.flush()) throw usage_error(fmt::format("cannot write {}", path));
}

}  // namespace quern::fuzz
