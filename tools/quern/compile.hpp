// `quern compile`.
#pragma once

#include <string>

namespace quern_tool {

struct compile_request {
    std::string file;            ///< .qir; "-" is the standard input
    std::string target = "cpu";
    std::string stage{};         ///< empty: compiled code
    std::string output{};        ///< empty: a stage goes to the standard output, code is only measured
};

/// Throws quern::error, or std::runtime_error for files that cannot be read or written.
void compile(const compile_request& r);

}  // namespace quern_tool
