#include "platform/processor.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace quern::platform {
namespace {

#if defined(__x86_64__) || defined(__i386__)

std::string vendor_string() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(0, &a, &b, &c, &d)) return {};
    const unsigned words[3] = {b, d, c};
    char text[13] = {};
    std::memcpy(text, words, sizeof words);
    return text;
}

std::string brand_string() {
    unsigned words[12] = {};
    for (unsigned leaf = 0; leaf < 3; ++leaf) {
        unsigned* w = words + 4 * leaf;
        if (!__get_cpuid(0x80000002u + leaf, w, w + 1, w + 2, w + 3)) return {};
    }
    char text[sizeof words + 1] = {};
    std::memcpy(text, words, sizeof words);
    std::string brand = text;
    brand.erase(0, brand.find_first_not_of(' '));
    brand.erase(brand.find_last_not_of(' ') + 1);
    return brand;
}

processor detect() {
    processor p;
    p.vendor = vendor_string();
    p.name = brand_string();
    // __builtin_cpu_supports also asks whether the system saves the registers.
    const auto note = [&](bool present, const char* feature) {
        if (present) p.features += (p.features.empty() ? "" : ",") + std::string(feature);
        return present;
    };
#define QUERN_NOTE(feature) note(__builtin_cpu_supports(feature) != 0, feature)
    QUERN_NOTE("sse4.2");
    QUERN_NOTE("popcnt");
    QUERN_NOTE("avx");
    const bool avx2 = QUERN_NOTE("avx2");
    const bool fma = QUERN_NOTE("fma");
    QUERN_NOTE("bmi");
    QUERN_NOTE("bmi2");
    const bool avx512f = QUERN_NOTE("avx512f");
    const bool avx512bw = QUERN_NOTE("avx512bw");
    const bool avx512dq = QUERN_NOTE("avx512dq");
    const bool avx512vl = QUERN_NOTE("avx512vl");
    QUERN_NOTE("avx512vbmi");
    QUERN_NOTE("avx512vnni");
    QUERN_NOTE("avx512vpopcntdq");
#undef QUERN_NOTE
    if (avx2 && fma) p.vector_bytes = 32;
    if (avx512f && avx512bw && avx512dq && avx512vl) p.vector_bytes = 64;
    return p;
}

#else

processor detect() { return {}; }

#endif

}  // namespace

const processor& this_processor() {
    static const processor found = [] {
        processor p = detect();
        if (p.name.empty()) p.name = "CPU";
        p.hardware_threads = std::max(1u, std::thread::hardware_concurrency());
        return p;
    }();
    return found;
}

}  // namespace quern::platform
