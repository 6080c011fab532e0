#include "compile.hpp"

#include <quern/artifact.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace quern_tool {
namespace {

[[noreturn]] void fail_on_file(const char* what, const std::string& file) {
    throw std::runtime_error(fmt::format("cannot {} '{}': {}", what, file, std::strerror(errno)));
}

std::string read(const std::string& file) {
    const bool is_standard_input = file == "-";
    std::FILE* const stream = is_standard_input ? stdin : std::fopen(file.c_str(), "rb");
    if (stream == nullptr) fail_on_file("read", file);
    std::string text;
    char part[1 << 16];
    while (const std::size_t n = std::fread(part, 1, sizeof part, stream)) text.append(part, n);
    if (std::ferror(stream) != 0) fail_on_file("read", file);
    if (!is_standard_input) std::fclose(stream);
    return text;
}

void write(const std::string& file, std::string_view text) {
    std::ofstream stream(file, std::ios::binary);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    if (!stream) fail_on_file("write", file);
}

void show_stage(const compile_request& r, const quern::inspection& i) {
    std::string names;
    for (const quern::inspection::stage& s : i.stages) {
        if (s.name != r.stage) {
            names += (names.empty() ? "" : ", ") + s.name;
            continue;
        }
        if (r.output.empty()) fmt::print("{}", s.text);
        else write(r.output, s.text);
        return;
    }
    throw std::runtime_error(fmt::format("target '{}' has no stage '{}'; it has: {}", r.target, r.stage, names));
}

}  // namespace

void compile(const compile_request& r) {
    const std::string text = read(r.file), name = r.file == "-" ? "<stdin>" : r.file;
    if (!r.stage.empty()) return show_stage(r, quern::inspect_ir(text, r.target, name));

    const quern::artifact a = quern::compile_ir(text, r.target, name);
    if (!r.output.empty()) write(r.output, {reinterpret_cast<const char*>(a.bytes.data()), a.bytes.size()});
    fmt::print("{}: {} bytes of {} for {}\n{}", name, a.bytes.size(), a.format, r.target, a.log);
}

}  // namespace quern_tool
