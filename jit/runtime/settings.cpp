#include "jit/runtime/settings.hpp"

#include <quern/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <utility>

#include "platform/environment.hpp"

namespace quern::jit {
namespace {

template <class Value, std::size_t N>
void read_choice(const char* variable, const std::array<std::pair<std::string_view, Value>, N>& choices,
                 Value& value) {
    const auto text = platform::environment_variable(variable);
    if (!text || text->empty()) return;
    std::string known;
    for (const auto& [name, choice] : choices) {
        if (*text == name) {
            value = choice;
            return;
        }
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    throw usage_error(fmt::format("{}={}: not understood; it is one of {}", variable, *text, known));
}

template <class Value, std::size_t N>
using choices = std::array<std::pair<std::string_view, Value>, N>;

constexpr choices<cache_mode, 3> cache_modes{{{"rw", cache_mode::read_write}, {"ro", cache_mode::read_only}, {"off", cache_mode::off}}};
constexpr choices<tune_mode, 3> tune_modes{{{"on", tune_mode::on}, {"cached", tune_mode::cached}, {"off", tune_mode::off}}};
constexpr choices<std::uint32_t, 3> lane_counts{{{"4", 4}, {"8", 8}, {"16", 16}}};
constexpr choices<std::uint32_t, 3> vector_counts{{{"1", 1}, {"2", 2}, {"4", 4}}};
constexpr choices<bool, 2> switches{{{"0", false}, {"1", true}}};
constexpr choices<log_level, 4> log_levels{{{"debug", log_level::debug}, {"info", log_level::information}, {"warning", log_level::warning}, {"error", log_level::error}}};

std::vector<std::string> split_list(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == ',') parts.emplace_back();
        else if (c != ' ') parts.back() += c;
    }
    std::erase(parts, "");
    return parts;
}

/// One line a message, whatever is in it.
void print_line(const char* message) {
    std::string line(message);
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::fprintf(stderr, "quern: %s\n", line.c_str());
}

template <log_level Least>
void print_from(void*, log_level level, const char* message) {
    if (level >= Least) print_line(message);
}

log_sink standard_error_from(log_level least) {
    switch (least) {
        case log_level::debug: return {print_from<log_level::debug>, nullptr};
        case log_level::information: return {print_from<log_level::information>, nullptr};
        case log_level::warning: return {print_from<log_level::warning>, nullptr};
        case log_level::error: return {print_from<log_level::error>, nullptr};
    }
    return {};
}

}  // namespace

settings make_settings(const runtime_options& options) {
    settings s;
    s.options = options;
    if (options.log.write == nullptr) s.options.log = standard_error_from(log_level::warning);
    if (!options.read_environment) return s;
    if (const auto devices = platform::environment_variable("QUERN_DEVICE"); devices && !devices->empty()) {
        s.devices = split_list(*devices);
        if (s.devices->empty()) throw usage_error(fmt::format("QUERN_DEVICE={}: names no device", *devices));
    }
    if (const auto folder = platform::environment_variable("QUERN_CACHE_DIR")) s.options.cache_dir = *folder;
    if (const auto folder = platform::environment_variable("QUERN_CACHE_SHARED_DIR")) s.options.shared_cache_dir = *folder;
    if (const auto folder = platform::environment_variable("QUERN_DUMP")) s.dump_dir = *folder;
    read_choice("QUERN_CACHE", cache_modes, s.options.cache);
    read_choice("QUERN_TUNE", tune_modes, s.options.tune);
    read_choice("QUERN_CPU_LANES", lane_counts, s.lanes);
    read_choice("QUERN_CPU_VECTORS", vector_counts, s.vectors);
    read_choice("QUERN_DEBUG", switches, s.debug);
    if (options.log.write == nullptr && platform::environment_variable("QUERN_LOG")) {
        log_level least = log_level::information;
        read_choice("QUERN_LOG", log_levels, least);
        s.options.log = standard_error_from(least);
    }
    return s;
}

void log(const settings& s, log_level level, const std::string& message) {
    static std::mutex one_at_a_time;
    if (s.options.log.write == nullptr) return;
    const std::scoped_lock lock(one_at_a_time);
    s.options.log.write(s.options.log.context, level, message.c_str());
}

}  // namespace quern::jit
