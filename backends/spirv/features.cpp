#include "backends/spirv/features.hpp"

#include <fmt/format.h>
#include <quern/error.hpp>

#include <charconv>

namespace quern::spirv {
namespace {

struct flag {
    std::string_view name;
    bool features::* member;
};
constexpr flag flags[] = {
    {"addresses", &features::addresses}, {"int8", &features::int8}, {"int16", &features::int16},
    {"int64", &features::int64}, {"float16", &features::float16}, {"float64", &features::float64},
    {"storage8", &features::storage8}, {"storage16", &features::storage16}, {"push8", &features::push8},
    {"push16", &features::push16}, {"memory_model", &features::memory_model}, {"subgroups", &features::subgroups},
    {"shuffle", &features::shuffle}, {"shuffle_relative", &features::shuffle_relative},
    {"subgroup_extended", &features::subgroup_extended}, {"atomic64_buffer", &features::atomic64_buffer},
    {"atomic64_shared", &features::atomic64_shared}, {"atomic_add32_buffer", &features::atomic_add32_buffer},
    {"atomic_add32_shared", &features::atomic_add32_shared}, {"keep_special16", &features::keep_special16},
    {"keep_special32", &features::keep_special32}, {"keep_special64", &features::keep_special64},
    {"nearest16", &features::nearest16}, {"nearest32", &features::nearest32}, {"nearest64", &features::nearest64},
    {"denormals16", &features::denormals16}, {"denormals32", &features::denormals32},
    {"denormals64", &features::denormals64}, {"fixed_subgroup_size", &features::fixed_subgroup_size},
    {"fence_suspends", &features::fence_suspends},
};

struct number {
    std::string_view name;
    std::uint32_t features::* member;
};
constexpr number numbers[] = {{"push_bytes", &features::push_bytes}, {"bindings", &features::bindings},
                              {"subgroup_size", &features::subgroup_size}};

void read_word(features& f, std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
        for (const flag& known : flags)
            if (known.name == word) {
                f.*known.member = true;
                return;
            }
    } else {
        for (const number& known : numbers)
            if (known.name == word.substr(0, equals)) {
                std::from_chars(word.data() + equals + 1, word.data() + word.size(), f.*known.member);
                return;
            }
    }
    throw internal_error(fmt::format("unknown Vulkan feature '{}'; please report this", word));
}

}  // namespace

std::string to_text(const features& f) {
    std::string text;
    for (const flag& known : flags)
        if (f.*known.member) text += fmt::format("{}{}", text.empty() ? "" : " ", known.name);
    for (const number& known : numbers) text += fmt::format("{}{}={}", text.empty() ? "" : " ", known.name, f.*known.member);
    return text;
}

features parse_features(std::string_view text) {
    features f;
    while (!text.empty()) {
        const std::size_t end = text.find(' ');
        if (const std::string_view word = text.substr(0, end); !word.empty()) read_word(f, word);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return f;
}

}  // namespace quern::spirv
