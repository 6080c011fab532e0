#define XXH_INLINE_ALL
#include <xxhash.h>

#include "dsl/ir/canonical.hpp"

namespace quern::ir {

hash128 hash(const module& m) {
    const std::vector<std::byte> bytes = to_bytes(m);
    const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
    return {h.low64, h.high64};
}

}  // namespace quern::ir
