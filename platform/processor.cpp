#include "platform/processor.hpp"

#include <algorithm>
#include <cstdio>
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

/// What compilers look at when they ask for the host. Leaves that also tell which core this is are masked.
std::string identity_words() {
    struct query {
        unsigned leaf, subleaf;
        unsigned masks[4];  // of eax, ebx, ecx, edx
    };
    constexpr unsigned all = ~0u;
    constexpr query queries[] = {{1, 0, {all, 0, all, all}},          {7, 0, {0, all, all, all}}, {7, 1, {all, all, all, all}},
                                 {0xd, 1, {all, 0, 0, 0}},            {0x14, 0, {0, all, 0, 0}},  {0x19, 0, {0, all, 0, 0}},
                                 {0x24, 0, {0, all, 0, 0}},           {0x80000001, 0, {0, 0, all, all}},
                                 {0x80000008, 0, {0, all, 0, 0}}};
    std::string text;
    for (const query& q : queries) {
        unsigned words[4] = {};
        __get_cpuid_count(q.leaf, q.subleaf, words, words + 1, words + 2, words + 3);
        for (int i = 0; i < 4; ++i) {
            if (q.masks[i] == 0) continue;
            char digits[12];
            std::snprintf(digits, sizeof digits, "%s%x", text.empty() ? "" : "-", words[i] & q.masks[i]);
            text += digits;
        }
    }
    return text;
}

processor detect() {
    processor p;
    p.vendor = vendor_string();
    p.identity = identity_words();
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
