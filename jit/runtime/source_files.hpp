// The user's source files, read once each, for names and lines that people see. Never part of a key.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dsl/trace/source_names.hpp"

namespace quern::jit {

class source_files final : public trace::source_lines {
public:
    std::string_view line(std::string_view file, std::uint32_t line) const override;

private:
    struct text {
        std::string all;
        std::vector<std::string_view> lines;
    };
    const text& read(std::string_view file) const;

    mutable std::map<std::string, text, std::less<>> files_;
};

}  // namespace quern::jit
