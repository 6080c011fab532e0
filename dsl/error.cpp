// The exceptions' destructors: one home for their type information, below everything that throws.
#include <quern/error.hpp>

#include <utility>

namespace quern {

error::~error() = default;
usage_error::~usage_error() = default;
device_error::~device_error() = default;
internal_error::~internal_error() = default;

compile_error::compile_error(const std::string& what, std::string log, std::string source)
    : error(what), log_(std::move(log)), source_(std::move(source)) {}
compile_error::~compile_error() = default;

}  // namespace quern
