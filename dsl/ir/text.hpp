// The printed form of a module (.qir), for people and golden files. print(parse(print(m))) == print(m).
#pragma once

#include <string>
#include <string_view>

#include "dsl/ir/module.hpp"

namespace quern::ir {

/// The whole kernel as text. Names come from the side tables made unique, else "v17". Locations are not printed.
std::string print(const module& m);
/// One type as it is printed: "f32", "vec3<f32>", "array<f32, 16>", "struct{…}".
std::string print_type(const module& m, type_id t);
/// The inverse of print. Throws usage_error "file:line: …" where the text is not a module; `file` is used in messages.
module parse(std::string_view text, std::string_view file = "<qir>");

}  // namespace quern::ir
