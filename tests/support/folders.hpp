// Where the tests find their files.
#pragma once

#include <string>

namespace quern::tests {

/// The root of the checkout, and the build folder.
std::string source_folder();
std::string binary_folder();

}  // namespace quern::tests
