// What a compilation depends on, as text that people can read: one `name value` a line. Its hash names the entry; the
// text itself is compared word for word when an entry is loaded.
#pragma once

#include <string>
#include <string_view>

#include "backends/backend.hpp"
#include "dsl/ir/module.hpp"

namespace quern::jit {

/// 32 hexadecimal digits.
using cache_key = std::string;

class manifest {
public:
    /// Line breaks and backslashes in the value are escaped.
    void add(std::string_view name, std::string_view value);
    const std::string& text() const { return text_; }
    cache_key key() const;

private:
    std::string text_;
};

/// Of a module after the passes. Names and lines are no part of it, unless lines are compiled in.
manifest describe_compilation(const ir::module& m, std::string_view backend, const backends::target& t,
                              const backends::compile_options& o);

/// A hash of the sources that this library was built from.
std::string_view build_id();

}  // namespace quern::jit
