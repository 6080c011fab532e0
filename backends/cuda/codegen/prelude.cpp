#include "backends/cuda/codegen/prelude.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "backends/cuda/codegen/rules.hpp"

namespace quern::cuda {
namespace {

struct snippet {
    std::string_view name;
    std::string_view text;
};

/// Each stands after those that it uses.
constexpr auto snippets = std::to_array<snippet>({
    {"int8", "typedef signed char int8;\n"},
    {"int16", "typedef short int16;\n"},
    {"int64", "typedef long long int64;\n"},
    {"uint8", "typedef unsigned char uint8;\n"},
    {"uint16", "typedef unsigned short uint16;\n"},
    {"uint", "typedef unsigned int uint;\n"},
    {"uint64", "typedef unsigned long long uint64;\n"},
    {"half", "struct half { unsigned short bits; };\n"},
    {"bfloat16", "struct bfloat16 { unsigned short bits; };\n"},
    {"vec2", "template <class T> struct vec2 { T x, y; };\n"},
    {"vec3", "template <class T> struct vec3 { T x, y, z; };\n"},
    {"vec4", "template <class T> struct vec4 { T x, y, z, w; };\n"},
    {"array", "template <class T, unsigned N> struct array { T at[N]; };\n"},
    {"bit_cast", R"(template <class To, class From> __device__ inline To bit_cast(const From& from) {
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}
)"},
    {"word_of", R"(template <unsigned Size> struct word;  // an unsigned integer in which C++ arithmetic wraps
template <> struct word<1> { typedef unsigned char bits; typedef unsigned int wide; };
template <> struct word<2> { typedef unsigned short bits; typedef unsigned int wide; };
template <> struct word<4> { typedef unsigned int bits; typedef unsigned int wide; };
template <> struct word<8> { typedef unsigned long long bits; typedef unsigned long long wide; };
template <class T> using word_of = typename word<sizeof(T)>::bits;
template <class T> using wide_of = typename word<sizeof(T)>::wide;
)"},
    {"wrap_add", "template <class T> __device__ inline T wrap_add(T a, T b) { return (T)((wide_of<T>)a + (wide_of<T>)b); }\n"},
    {"wrap_sub", "template <class T> __device__ inline T wrap_sub(T a, T b) { return (T)((wide_of<T>)a - (wide_of<T>)b); }\n"},
    {"wrap_mul", "template <class T> __device__ inline T wrap_mul(T a, T b) { return (T)((wide_of<T>)a * (wide_of<T>)b); }\n"},
    {"wrap_neg", "template <class T> __device__ inline T wrap_neg(T a) { return (T)(0u - (wide_of<T>)a); }\n"},
    {"absolute", R"(template <class T> __device__ inline T absolute(T a) {
    if constexpr (__is_class(T)) return T{(unsigned short)(a.bits & 0x7fff)};
    else return a < T(0) ? (T)(0u - (wide_of<T>)a) : a;
}
)"},
    {"guarded", R"(// A divisor of 0, or of -1 under the smallest number, counts as 1.
template <class T> __device__ inline T guarded(T a, T b) {
    const T smallest = (T)((word_of<T>)1 << (8 * sizeof(T) - 1));
    return b == T(0) || ((T)-1 < T(0) && b == (T)-1 && a == smallest) ? T(1) : b;
}
)"},
    {"divide", "template <class T> __device__ inline T divide(T a, T b) { return (T)(a / guarded(a, b)); }\n"},
    {"modulo", "template <class T> __device__ inline T modulo(T a, T b) { return (T)(a % guarded(a, b)); }\n"},
    {"lesser", R"(template <class T> __device__ inline T lesser(T a, T b) { return b < a ? b : a; }
__device__ inline double lesser(double a, double b) {  // drops a NaN, orders -0 below +0
    if (a != a) return b;
    if (a == b) return __longlong_as_double(__double_as_longlong(a) | __double_as_longlong(b));
    return b < a ? b : a;
}
)"},
    {"greater", R"(template <class T> __device__ inline T greater(T a, T b) { return b > a ? b : a; }
__device__ inline double greater(double a, double b) {  // drops a NaN, orders -0 below +0
    if (a != a) return b;
    if (a == b) return __longlong_as_double(__double_as_longlong(a) & __double_as_longlong(b));
    return b > a ? b : a;
}
)"},
    {"shift_left", R"(template <class T> __device__ inline T shift_left(T a, T count) {
    return (T)((wide_of<T>)a << ((wide_of<T>)count & (8 * sizeof(T) - 1)));
}
)"},
    {"count_ones", "template <class T> __device__ inline T count_ones(T a) { return (T)__popcll((word_of<T>)a); }\n"},
    {"leading_zeros", R"(template <class T> __device__ inline T leading_zeros(T a) {
    if constexpr (sizeof(T) == 8) return (T)__clzll((long long)a);
    else return (T)(__clz((int)(word_of<T>)a) - (32 - 8 * (int)sizeof(T)));
}
)"},
    {"trailing_zeros", R"(template <class T> __device__ inline T trailing_zeros(T a) {
    if (a == T(0)) return (T)(8 * sizeof(T));
    if constexpr (sizeof(T) == 8) return (T)(__ffsll((long long)a) - 1);
    else return (T)(__ffs((int)a) - 1);
}
)"},
    {"reversed", R"(template <class T> __device__ inline T reversed(T a) {
    if constexpr (sizeof(T) == 8) return (T)__brevll((unsigned long long)a);
    else return (T)(__brev((unsigned int)(word_of<T>)a) >> (32 - 8 * (int)sizeof(T)));
}
)"},
    {"to_float", R"(__device__ inline float to_float(half a) {
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a.bits));
    return r;
}
__device__ inline float to_float(bfloat16 a) { return __uint_as_float((unsigned int)a.bits << 16); }
)"},
    {"to_half", R"(#define QUERN_TO_HALF(type, kind, constraint) \
    __device__ inline half to_half(type a) { \
        half r; \
        asm("cvt.rn.f16." kind " %0, %1;" : "=h"(r.bits) : constraint(a)); \
        return r; \
    }
QUERN_TO_HALF(float, "f32", "f")
QUERN_TO_HALF(double, "f64", "d")
QUERN_TO_HALF(int, "s32", "r")
QUERN_TO_HALF(unsigned int, "u32", "r")
QUERN_TO_HALF(long long, "s64", "l")
QUERN_TO_HALF(unsigned long long, "u64", "l")
#undef QUERN_TO_HALF
)"},
    {"to_odd", R"(// A float that was rounded towards zero, made odd where it is not exact: rounding it again is rounding once.
__device__ inline float to_odd(float truncated, bool exact) {
    return exact ? truncated : __uint_as_float(__float_as_uint(truncated) | 1u);
}
__device__ inline float to_odd(double a) {
    const float r = __double2float_rz(a);
    return to_odd(r, (double)r == a || a != a);
}
__device__ inline float to_odd(int a) { return to_odd(__int2float_rz(a), __int2float_rd(a) == __int2float_ru(a)); }
__device__ inline float to_odd(unsigned int a) { return to_odd(__uint2float_rz(a), __uint2float_rd(a) == __uint2float_ru(a)); }
__device__ inline float to_odd(long long a) { return to_odd(__ll2float_rz(a), __ll2float_rd(a) == __ll2float_ru(a)); }
__device__ inline float to_odd(unsigned long long a) {
    return to_odd(__ull2float_rz(a), __ull2float_rd(a) == __ull2float_ru(a));
}
)"},
    {"to_bfloat16", R"(__device__ inline bfloat16 to_bfloat16(float a) {
    bfloat16 r;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.bits) : "f"(a));
#else
    const unsigned int bits = __float_as_uint(a);
    r.bits = (unsigned short)(a != a ? 0x7fffu : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
#endif
    return r;
}
template <class T> __device__ inline bfloat16 to_bfloat16(T a) { return to_bfloat16(to_odd(a)); }
)"},
    {"negated", "template <class T> __device__ inline T negated(T a) { return T{(unsigned short)(a.bits ^ 0x8000)}; }\n"},
    {"with_sign", R"(template <class T> __device__ inline T with_sign(T a, T b) {
    return T{(unsigned short)((a.bits & 0x7fff) | (b.bits & 0x8000))};
}
)"},
    {"next_after", R"(template <class T> __device__ inline T next_after(T a, T b) {
    const float x = to_float(a), y = to_float(b);
    if (x != x) return a;
    if (y != y || x == y) return b;
    if (x == 0.0f) return T{(unsigned short)((b.bits & 0x8000) | 1)};
    return T{(unsigned short)((x < y) == (x > 0.0f) ? a.bits + 1 : a.bits - 1)};
}
)"},
    {"fused", R"(__device__ inline half fused(half a, half b, half c) {
    half r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
}
__device__ inline bfloat16 fused(bfloat16 a, bfloat16 b, bfloat16 c) {
#if __CUDA_ARCH__ >= 800
    bfloat16 r;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
#else
    const float x = to_float(a), y = to_float(b), z = to_float(c);
    const float below = __fmaf_rd(x, y, z), above = __fmaf_ru(x, y, z);
    return to_bfloat16(to_odd(__fmaf_rz(x, y, z), below == above || below != below));
#endif
}
)"},
    {"to_integer", R"(// Towards zero; saturates, NaN gives 0.
template <class T> __device__ inline T to_integer(float a) {
    constexpr bool has_sign = (T)-1 < T(0);
    if constexpr (sizeof(T) == 8) {
        if (a != a) return 0;
        if constexpr (has_sign) return __float2ll_rz(a);
        else return __float2ull_rz(a);
    } else if constexpr (sizeof(T) == 4) {
        if (a != a) return 0;
        if constexpr (has_sign) return __float2int_rz(a);
        else return __float2uint_rz(a);
    } else {
        const int most = has_sign ? (1 << (8 * (int)sizeof(T) - 1)) - 1 : (1 << (8 * (int)sizeof(T))) - 1;
        const int n = a != a ? 0 : __float2int_rz(a);
        return (T)(n > most ? most : n < (has_sign ? -most - 1 : 0) ? (has_sign ? -most - 1 : 0) : n);
    }
}
template <class T> __device__ inline T to_integer(double a) {
    constexpr bool has_sign = (T)-1 < T(0);
    if (a != a) return 0;
    if constexpr (sizeof(T) == 8) {
        if constexpr (has_sign) return __double2ll_rz(a);
        else return __double2ull_rz(a);
    } else if constexpr (sizeof(T) == 4) {
        if constexpr (has_sign) return __double2int_rz(a);
        else return __double2uint_rz(a);
    } else {
        const int most = has_sign ? (1 << (8 * (int)sizeof(T) - 1)) - 1 : (1 << (8 * (int)sizeof(T))) - 1;
        const int n = __double2int_rz(a);
        return (T)(n > most ? most : n < (has_sign ? -most - 1 : 0) ? (has_sign ? -most - 1 : 0) : n);
    }
}
)"},
    {"wide_load", R"(// A value as words of the alignment that it is known to have.
template <class Word, class T> __device__ inline T wide_load(const T* from) {
    array<Word, sizeof(T) / sizeof(Word)> words;
#pragma unroll
    for (unsigned int i = 0; i < sizeof(T) / sizeof(Word); ++i) words.at[i] = ((const Word*)from)[i];
    return bit_cast<T>(words);
}
)"},
    {"read_only", R"(// Likewise of memory that does not change while the kernel runs.
template <class Word, class T> __device__ inline T read_only(const T* from) {
    array<Word, sizeof(T) / sizeof(Word)> words;
#pragma unroll
    for (unsigned int i = 0; i < sizeof(T) / sizeof(Word); ++i) words.at[i] = __ldg((const Word*)from + i);
    return bit_cast<T>(words);
}
)"},
    {"wide_store", R"(template <class Word, class T> __device__ inline void wide_store(T* to, const T& value) {
    const auto words = bit_cast<array<Word, sizeof(T) / sizeof(Word)>>(value);
#pragma unroll
    for (unsigned int i = 0; i < sizeof(T) / sizeof(Word); ++i) ((Word*)to)[i] = words.at[i];
}
)"},
    {"atomic_load", "template <class T> __device__ inline T atomic_load(const T* p) { return *(const volatile T*)p; }\n"},
    {"atomic_store", "template <class T> __device__ inline void atomic_store(T* p, T a) { *(volatile T*)p = a; }\n"},
    {"atomic_retry", R"(// For floats: repeats until no other thread came between.
template <class T, class F> __device__ inline T atomic_retry(T* p, F next) {
    word_of<T>* const place = (word_of<T>*)p;
    word_of<T> seen = *(const volatile word_of<T>*)place, before;
    do {
        before = seen;
        seen = atomicCAS(place, before, bit_cast<word_of<T>>(next(bit_cast<T>(before))));
    } while (seen != before);
    return bit_cast<T>(seen);
}
)"},
    {"atomic_add", R"(template <class T> __device__ inline T atomic_add(T* p, T a) { return (T)atomicAdd((word_of<T>*)p, (word_of<T>)a); }
__device__ inline float atomic_add(float* p, float a) { return atomicAdd(p, a); }
__device__ inline double atomic_add(double* p, double a) { return atomicAdd(p, a); }
)"},
    {"atomic_sub", R"(template <class T> __device__ inline T atomic_sub(T* p, T a) {
    return (T)atomicAdd((word_of<T>*)p, (word_of<T>)(0u - (word_of<T>)a));
}
)"},
    {"atomic_min", R"(template <class T> __device__ inline T atomic_min(T* p, T a) { return atomicMin(p, a); }
__device__ inline float atomic_min(float* p, float a) { return atomic_retry(p, [=](float old) { return fminf(old, a); }); }
__device__ inline double atomic_min(double* p, double a) {
    return atomic_retry(p, [=](double old) { return lesser(old, a); });
}
)"},
    {"atomic_max", R"(template <class T> __device__ inline T atomic_max(T* p, T a) { return atomicMax(p, a); }
__device__ inline float atomic_max(float* p, float a) { return atomic_retry(p, [=](float old) { return fmaxf(old, a); }); }
__device__ inline double atomic_max(double* p, double a) {
    return atomic_retry(p, [=](double old) { return greater(old, a); });
}
)"},
    {"atomic_and", "template <class T> __device__ inline T atomic_and(T* p, T a) { return (T)atomicAnd((word_of<T>*)p, (word_of<T>)a); }\n"},
    {"atomic_or", "template <class T> __device__ inline T atomic_or(T* p, T a) { return (T)atomicOr((word_of<T>*)p, (word_of<T>)a); }\n"},
    {"atomic_xor", "template <class T> __device__ inline T atomic_xor(T* p, T a) { return (T)atomicXor((word_of<T>*)p, (word_of<T>)a); }\n"},
    {"atomic_exchange", R"(template <class T> __device__ inline T atomic_exchange(T* p, T a) {
    return bit_cast<T>(atomicExch((word_of<T>*)p, bit_cast<word_of<T>>(a)));
}
)"},
    {"atomic_compare_exchange", R"(template <class T> __device__ inline T atomic_compare_exchange(T* p, T expected, T desired) {
    return (T)atomicCAS((word_of<T>*)p, (word_of<T>)expected, (word_of<T>)desired);
}
)"},
    {"flat_local_id", R"(__device__ inline unsigned int flat_local_id() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
)"},
    {"lane_id", R"(__device__ inline unsigned int lane_id() {
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
)"},
    {"warp_shuffle", R"(template <class T> __device__ inline T warp_shuffle(unsigned int threads, T a, unsigned int lane) {
    if constexpr (sizeof(T) < 4) return bit_cast<T>((word_of<T>)__shfl_sync(threads, (unsigned int)bit_cast<word_of<T>>(a), (int)lane));
    else return __shfl_sync(threads, a, (int)lane);
}
)"},
    {"warp_shuffle_xor", R"(template <class T> __device__ inline T warp_shuffle_xor(unsigned int threads, T a, unsigned int mask) {
    if constexpr (sizeof(T) < 4) return bit_cast<T>((word_of<T>)__shfl_xor_sync(threads, (unsigned int)bit_cast<word_of<T>>(a), (int)mask));
    else return __shfl_xor_sync(threads, a, (int)mask);
}
)"},
    {"warp_shuffle_up", R"(template <class T> __device__ inline T warp_shuffle_up(unsigned int threads, T a, unsigned int delta) {
    if constexpr (sizeof(T) < 4) return bit_cast<T>((word_of<T>)__shfl_up_sync(threads, (unsigned int)bit_cast<word_of<T>>(a), delta));
    else return __shfl_up_sync(threads, a, delta);
}
)"},
    {"warp_shuffle_down", R"(template <class T> __device__ inline T warp_shuffle_down(unsigned int threads, T a, unsigned int delta) {
    if constexpr (sizeof(T) < 4) return bit_cast<T>((word_of<T>)__shfl_down_sync(threads, (unsigned int)bit_cast<word_of<T>>(a), delta));
    else return __shfl_down_sync(threads, a, delta);
}
)"},
    {"warp_reduce", R"(// Lane 0 always ends with all; the others too where the warp is full.
template <class T, class F> __device__ inline T warp_reduce(unsigned int threads, T a, F combine) {
#pragma unroll
    for (unsigned int distance = 16; distance != 0; distance /= 2) {
        const T other = warp_shuffle_xor(threads, a, distance);
        if (threads == ~0u || (threads >> (lane_id() ^ distance) & 1u) != 0) a = combine(a, other);
    }
    return threads == ~0u ? a : warp_shuffle(threads, a, 0);
}
)"},
    {"warp_inclusive_scan", R"(template <class T, class F> __device__ inline T warp_inclusive_scan(unsigned int threads, T a, F combine) {
#pragma unroll
    for (unsigned int distance = 1; distance != 32; distance *= 2) {
        const T below = warp_shuffle_up(threads, a, distance);
        if (lane_id() >= distance) a = combine(below, a);
    }
    return a;
}
)"},
    {"warp_exclusive_scan", R"(template <class T, class F> __device__ inline T warp_exclusive_scan(unsigned int threads, T a, F combine) {
    const T below = warp_shuffle_up(threads, warp_inclusive_scan(threads, a, combine), 1);
    return lane_id() == 0 ? T{} : below;
}
)"},
});

constexpr std::string_view words =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast constexpr "
    "continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto "
    "if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this "
    "thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor "
    "xor_eq char16_t char32_t char8_t concept consteval constinit co_await co_return co_yield requires "
    "threadIdx blockIdx blockDim gridDim warpSize memcpy memset printf assert main "
    "global_x global_y global_z group_x group_y group_z groups_x groups_y groups_z extent_x extent_y extent_z "
    "first_group_x first_group_y first_group_z subgroup_threads shared_memory";

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::unordered_set<std::string_view> find_reserved() {
    std::unordered_set<std::string_view> all = identifiers_in(words);
    for (const snippet& s : snippets) all.insert(s.name);
    for (const rule& r : all_rules())
        for (const std::string_view text : {r.unsigned_text, r.other_text, r.f32_text, r.f64_text})
            all.merge(identifiers_in(text));
    for (const std::string_view place : {"0", "1", "2", "t", "m", "d", "k", "p", "w"}) all.erase(place);
    return all;
}

}  // namespace

std::unordered_set<std::string_view> identifiers_in(std::string_view text) {
    std::unordered_set<std::string_view> found;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') at = std::min(text.find('"', at + 1), text.size() - 1) + 1;  // a path, or assembly
        std::size_t end = at;
        while (end < text.size() && is_word(text[end])) ++end;
        if (end > at) found.insert(text.substr(at, end - at));
        at = end + 1;
    }
    return found;
}

bool is_reserved(std::string_view name) {
    static const std::unordered_set<std::string_view> reserved = find_reserved();
    return reserved.contains(name) || name.starts_with("__");
}

std::string prelude_for(std::string_view code) {
    std::unordered_set<std::string_view> named = identifiers_in(code);
    std::vector<const snippet*> used;
    for (auto s = snippets.rbegin(); s != snippets.rend(); ++s) {
        const bool is_used = named.contains(s->name) || (s->name == "word_of" && named.contains("wide_of"));
        if (!is_used) continue;
        used.push_back(&*s);
        named.merge(identifiers_in(s->text));
    }
    std::string text;
    for (auto s = used.rbegin(); s != used.rend(); ++s) text += (*s)->text;
    return text;
}

}  // namespace quern::cuda
