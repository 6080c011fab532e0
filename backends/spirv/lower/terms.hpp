// Terms over a builder: how the lowerings are written down. All terms are scalars; what they compute is never contracted.
#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include "dsl/ir/builder.hpp"
#include "dsl/ir/float_format.hpp"

namespace quern::spirv::lower {

class code;

/// A scalar value inside a code.
struct term {
    code* in = nullptr;
    ir::value_id id;

    ir::scalar_kind kind() const;
};

/// Facts of a float kind: p bits of precision in a word of W.
struct number_format {
    ir::scalar_kind real, word, whole;  ///< float, unsigned and signed integer of one width
    int precision, fraction, bias, width;
};
const number_format& format_of(ir::scalar_kind real);

/// Appends to a builder and remembers that nothing of it may be contracted.
class code {
public:
    code(ir::builder& b, std::vector<bool>& exact) : builder_(b), exact_(exact) {}

    term make(ir::op code, std::initializer_list<term> operands, ir::scalar_kind result = ir::scalar_kind::none,
              std::uint64_t immediate = 0);
    term bits(ir::scalar_kind k, std::uint64_t n);
    term real(ir::scalar_kind k, double n) { return bits(k, ir::encode_float(k, n)); }
    void if_(term condition, const std::function<void()>& then);
    /// for (i = 0; i < count; ++i) of u32.
    void repeat(term count, const std::function<void()>& body);
    ir::builder& builder() { return builder_; }

private:
    ir::builder& builder_;
    std::vector<bool>& exact_;
};

/// A local variable of a term's kind.
class variable {
public:
    explicit variable(term start);
    term get() const;
    void set(term t) const;

private:
    code& in_;
    ir::place_id place_;
};

inline term real(const term& like, double n) { return like.in->real(like.kind(), n); }
inline term word(const term& like, std::uint64_t n) { return like.in->bits(like.kind(), n); }

inline term operator+(term a, term b) { return a.in->make(ir::op::add, {a, b}); }
inline term operator-(term a, term b) { return a.in->make(ir::op::sub, {a, b}); }
inline term operator*(term a, term b) { return a.in->make(ir::op::mul, {a, b}); }
inline term operator/(term a, term b) { return a.in->make(ir::op::div, {a, b}); }
inline term operator%(term a, term b) { return a.in->make(ir::op::rem, {a, b}); }
inline term operator-(term a) { return a.in->make(ir::op::neg, {a}); }
inline term operator&(term a, term b) { return a.in->make(ir::op::bit_and, {a, b}); }
inline term operator|(term a, term b) { return a.in->make(ir::op::bit_or, {a, b}); }
inline term operator^(term a, term b) { return a.in->make(ir::op::bit_xor, {a, b}); }
inline term operator~(term a) { return a.in->make(ir::op::bit_not, {a}); }
inline term operator<<(term a, term b) { return a.in->make(ir::op::shl, {a, b}); }
inline term operator>>(term a, term b) { return a.in->make(ir::op::shr, {a, b}); }
inline term operator<(term a, term b) { return a.in->make(ir::op::lt, {a, b}); }
inline term operator<=(term a, term b) { return a.in->make(ir::op::le, {a, b}); }
inline term operator>(term a, term b) { return a.in->make(ir::op::gt, {a, b}); }
inline term operator>=(term a, term b) { return a.in->make(ir::op::ge, {a, b}); }
inline term operator==(term a, term b) { return a.in->make(ir::op::eq, {a, b}); }
inline term operator!=(term a, term b) { return a.in->make(ir::op::ne, {a, b}); }
inline term operator!(term a) { return a.in->make(ir::op::bit_not, {a}); }

// With a host number of the term's kind: a float's value, an integer's bits.
term constant(const term& like, double n);
#define QUERN_WITH_NUMBER(symbol)                                                      \
    inline term operator symbol(term a, double n) { return a symbol constant(a, n); }  \
    inline term operator symbol(double n, term a) { return constant(a, n) symbol a; }
QUERN_WITH_NUMBER(+) QUERN_WITH_NUMBER(-) QUERN_WITH_NUMBER(*) QUERN_WITH_NUMBER(/) QUERN_WITH_NUMBER(<)
QUERN_WITH_NUMBER(<=) QUERN_WITH_NUMBER(>) QUERN_WITH_NUMBER(>=) QUERN_WITH_NUMBER(==) QUERN_WITH_NUMBER(!=)
#undef QUERN_WITH_NUMBER

inline term shl(term a, unsigned n) { return a << word(a, n); }
inline term shr(term a, unsigned n) { return a >> word(a, n); }
inline term select(term c, term a, term b) { return a.in->make(ir::op::select, {c, a, b}); }
inline term cast(ir::scalar_kind k, term a) { return a.kind() == k ? a : a.in->make(ir::op::cast, {a}, k); }
inline term reinterpret(ir::scalar_kind k, term a) { return a.kind() == k ? a : a.in->make(ir::op::bit_cast, {a}, k); }
inline term call(ir::op f, term a) { return a.in->make(f, {a}); }
inline term absolute(term a) { return call(ir::op::abs, a); }
inline term is_nan(term a) { return a != a; }

/// The bits of a float as an unsigned integer, and back.
inline term bits_of(term x) { return reinterpret(format_of(x.kind()).word, x); }
inline term real_of(term bits, ir::scalar_kind k) { return reinterpret(k, bits); }
inline term infinity(const term& like) { return like.in->bits(like.kind(), ir::format_of(like.kind()).infinity); }
inline term not_a_number(const term& like) {
    const ir::float_format f = ir::format_of(like.kind());
    return like.in->bits(like.kind(), f.infinity | f.infinity >> 1 | std::uint64_t{1} << (f.fraction_bits - 1));
}
/// |a| with the sign of b.
term with_sign(term a, term b);
/// 2^k for a signed integer of the float's width, in the range of normal numbers.
term power_of_two(term k, ir::scalar_kind real);
/// x * 2^k, also where 2^k is no number.
term scale(term x, term k);

}  // namespace quern::spirv::lower
