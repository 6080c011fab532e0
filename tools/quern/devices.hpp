// `quern devices`.
#pragma once

namespace quern_tool {

enum class listing { text, json };

/// Prints every usable device, best first, then the backends without one and why.
void list_devices(listing format);

}  // namespace quern_tool
