#include "backends/spirv/lower/terms.hpp"

#include <array>

namespace quern::spirv::lower {

ir::scalar_kind term::kind() const { return in->builder().target().type_of(id).scalar; }

const number_format& format_of(ir::scalar_kind real) {
    using enum ir::scalar_kind;
    static constexpr number_format half{f16, u16, i16, 11, 10, 15, 16}, brain{bf16, u16, i16, 8, 7, 127, 16};
    static constexpr number_format single{f32, u32, i32, 24, 23, 127, 32}, twice{f64, u64, i64, 53, 52, 1023, 64};
    return real == f16 ? half : real == bf16 ? brain : real == f64 ? twice : single;
}

term code::make(ir::op op, std::initializer_list<term> operands, ir::scalar_kind result, std::uint64_t immediate) {
    std::array<ir::value_id, 4> ids{};
    std::size_t count = 0;
    for (const term& t : operands) ids[count++] = t.id;
    ir::type_id type{};
    if (result != ir::scalar_kind::none) type = ir::intern_scalar(builder_.target(), result);
    const ir::value_id made = builder_.define(op, std::span<const ir::value_id>(ids.data(), count), immediate, type);
    exact_.resize(builder_.target().values.size());
    exact_[made.number] = true;
    return {this, made};
}

term code::bits(ir::scalar_kind k, std::uint64_t n) {
    return {this, builder_.constant(k, n & (~std::uint64_t{0} >> (64 - ir::bit_width(k))))};
}

void code::if_(term condition, const std::function<void()>& then) {
    builder_.begin_block();
    then();
    const ir::block_id taken = builder_.end_block();
    builder_.begin_block();
    const ir::block_id otherwise = builder_.end_block();
    builder_.append(ir::if_statement{condition.id, taken, otherwise});
}

void code::repeat(term count, const std::function<void()>& body) {
    const term zero = word(count, 0), one = word(count, 1);
    const ir::value_id i = builder_.make(ir::op::induction, builder_.target()[count.id].type, {});
    builder_.begin_block();
    body();
    const ir::block_id repeated = builder_.end_block();
    builder_.append(ir::for_statement{i, zero.id, count.id, one.id, repeated});
}

variable::variable(term start) : in_(*start.in) {
    ir::builder& b = in_.builder();
    const ir::variable_id v = b.add_variable({ir::storage::local, b.target()[start.id].type});
    b.append(ir::declare{v});
    place_ = b.add_place(ir::root_kind::variable, v.number, {});
    set(start);
}

term variable::get() const { return {&in_, in_.builder().load(place_)}; }
void variable::set(term t) const { in_.builder().append(ir::store{place_, t.id}); }

term constant(const term& like, double n) {
    if (ir::is_float(like.kind())) return real(like, n);
    return word(like, n < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(n)) : static_cast<std::uint64_t>(n));
}

term with_sign(term a, term b) {
    const ir::scalar_kind k = a.kind();
    const std::uint64_t sign = ir::format_of(k).sign_mask;
    const term x = bits_of(a), y = bits_of(b);
    return real_of((x & word(x, ~sign)) | (y & word(y, sign)), k);
}

term power_of_two(term k, ir::scalar_kind real) {
    const number_format& f = format_of(real);
    return real_of(reinterpret(f.word, shl(k + f.bias, static_cast<unsigned>(f.fraction))), real);
}

term scale(term x, term k) {
    const term half = shr(k, 1);
    return x * power_of_two(half, x.kind()) * power_of_two(k - half, x.kind());
}

}  // namespace quern::spirv::lower
