#include "tests/support/folders.hpp"

namespace quern::tests {

std::string source_folder() { return QUERN_SOURCE_DIR; }
std::string binary_folder() { return QUERN_BINARY_DIR; }

}  // namespace quern::tests
