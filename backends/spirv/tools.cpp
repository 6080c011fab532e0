// SPIRV-Tools: what people read, and what tests and debug builds check.
#include <spirv-tools/libspirv.hpp>

#include <fmt/format.h>

#include "backends/spirv/emitter.hpp"

namespace quern::spirv {

std::string disassemble(std::span<const word> words) {
    const spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1_SPIRV_1_4);
    std::string text;
    tools.Disassemble(words.data(), words.size(), &text,
                      SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_NO_HEADER);
    return text;
}

std::string validation_errors(std::span<const word> words) {
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
    std::string text;
    tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t& at, const char* message) {
        text += fmt::format("{}word {}: {}", text.empty() ? "" : "\n", at.index, message);
    });
    spvtools::ValidatorOptions options;
    options.SetScalarBlockLayout(true);
    options.SetWorkgroupScalarBlockLayout(true);
    const bool is_valid = tools.Validate(words.data(), words.size(), options);
    return is_valid ? std::string() : text.empty() ? std::string("invalid") : text;
}

}  // namespace quern::spirv
