// The helper functions of generated code, as text: only those that a kernel uses are written in front of it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace quern::cuda {

/// The helpers that `code` names, and those that these name, in an order that compiles.
std::string prelude_for(std::string_view code);

/// The identifiers in a text, but for what stands in quotes.
std::unordered_set<std::string_view> identifiers_in(std::string_view text);

/// Words that no value may be called: C++'s, CUDA's, those of the helpers and of the rules.
bool is_reserved(std::string_view name);

}  // namespace quern::cuda
