// The pass itself: copies a module and puts a sequence in place of each op that SPIR-V lacks, component by component.
#include <quern/error.hpp>

#include "backends/spirv/lower/functions.hpp"
#include "backends/spirv/lowering.hpp"
#include "dsl/ir/importer.hpp"

namespace quern::spirv {
namespace {

using lower::term;
using ir::op;

/// One scalar lowering; unary, binary or ternary by which member is set.
struct function {
    ir::op op;
    term (*unary)(term) = nullptr;
    term (*binary)(term, term) = nullptr;
};
constexpr function functions[] = {
    {op::round, lower::round_away}, {op::rsqrt, lower::reciprocal_root}, {op::cbrt, lower::cube_root},
    {op::exp, lower::exp}, {op::exp2, lower::exp2}, {op::expm1, lower::expm1}, {op::log, lower::log},
    {op::log2, lower::log2}, {op::log10, lower::log10}, {op::log1p, lower::log1p}, {op::sin, lower::sin},
    {op::cos, lower::cos}, {op::tan, lower::tan}, {op::asin, lower::asin}, {op::acos, lower::acos},
    {op::atan, lower::atan}, {op::sinh, lower::sinh}, {op::cosh, lower::cosh}, {op::tanh, lower::tanh},
    {op::asinh, lower::asinh}, {op::acosh, lower::acosh}, {op::atanh, lower::atanh}, {op::erf, lower::erf},
    {op::erfc, lower::erfc}, {op::tgamma, lower::gamma}, {op::lgamma, lower::log_gamma},
    {op::pow, nullptr, lower::power}, {op::atan2, nullptr, lower::atan2}, {op::hypot, nullptr, lower::hypotenuse},
    {op::fmod, nullptr, lower::float_remainder}, {op::remainder, nullptr, lower::nearest_remainder},
    {op::nextafter, nullptr, lower::next_after}, {op::copysign, nullptr, lower::with_sign},
};

const function* find_function(ir::op code) {
    for (const function& f : functions)
        if (f.op == code) return &f;
    return nullptr;
}

class pass {
public:
    pass(const ir::module& from, const features& f)
        : from_(from), features_(f), import_(from, result_.module), builder_(result_.module),
          code_(builder_, result_.exact), ids_(from.values.size()) {}

    lowered_module run() {
        import_.header();
        result_.module.body = copy(from_.body);
        result_.exact.resize(result_.module.values.size());
        return std::move(result_);
    }

private:
    ir::value_id renumber(ir::value_id v) const { return ids_[v.number]; }
    auto renumbering() {
        return [this](ir::value_id v) { return renumber(v); };
    }

    ir::block_id copy(ir::block_id b) {
        if (!b) return {};
        builder_.begin_block();
        const ir::block& block = from_[b];
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            builder_.set_location(ir::location_of(block, i));
            std::visit(ir::overloaded{
                           [&](const ir::define& s) { define(s.value); },
                           [&](const ir::declare& s) { builder_.append(ir::declare{import_.variable(s.variable)}); },
                           [&](const ir::store& s) {
                               builder_.append(ir::store{import_.place(s.place, renumbering()), renumber(s.value)});
                           },
                           [&](const ir::if_statement& s) {
                               const ir::block_id then = copy(s.then_block);
                               builder_.append(ir::if_statement{renumber(s.condition), then, copy(s.else_block)});
                           },
                           [&](const ir::for_statement& s) {
                               ids_[s.induction.number] = import_.value(s.induction, renumbering());
                               builder_.append(ir::for_statement{renumber(s.induction), renumber(s.first), renumber(s.last),
                                                                 renumber(s.step), copy(s.body)});
                           },
                           [&](const ir::while_statement& s) {
                               const ir::block_id head = copy(s.head);
                               builder_.append(ir::while_statement{head, renumber(s.condition), copy(s.body)});
                           },
                           [&](const ir::switch_statement& s) {
                               std::vector<ir::switch_case> cases;
                               for (const ir::switch_case& c : from_.cases_of(s)) cases.push_back({c.literal, copy(c.body)});
                               builder_.append_switch(renumber(s.selector), cases, copy(s.default_block));
                           },
                           [&](const ir::break_statement& s) { builder_.append(s); },
                           [&](const ir::continue_statement& s) { builder_.append(s); },
                           [&](const ir::return_statement& s) { builder_.append(s); },
                           [&](const ir::barrier& s) { builder_.append(s); },
                           [&](const ir::fence& s) { builder_.append(s); },
                           [&](const ir::assume& s) { builder_.append(ir::assume{renumber(s.condition)}); },
                       },
                       block.statements[i]);
        }
        return builder_.end_block();
    }

    void define(ir::value_id v) {
        if (!must_lower(v)) {
            ids_[v.number] = import_.value(v, renumbering());
            builder_.append(ir::define{ids_[v.number]});
            return;
        }
        const ir::type& type = from_.type_of(v);
        std::vector<ir::value_id> parts;
        for (std::uint32_t c = 0; c < type.count; ++c) {
            std::vector<term> operands;
            for (const ir::value_id o : from_.operands_of(v)) {
                term t{&code_, renumber(o)};
                if (from_.type_of(o).kind == ir::type_kind::vector) t = code_.make(op::extract, {t}, from_.type_of(o).scalar, c);
                operands.push_back(t);
            }
            parts.push_back(lowered(from_[v].op, operands).id);
        }
        ids_[v.number] = parts[0];
        if (type.count > 1) ids_[v.number] = builder_.define(op::construct, parts, 0, import_.type(from_[v].type));
        ir::importer::copy_name(from_.value_names, v.number, result_.module.value_names, ids_[v.number].number);
    }

    bool must_lower(ir::value_id v) const {
        const ir::op code = from_[v].op;
        if (find_function(code) != nullptr) return true;
        const auto operands = from_.operands_of(v);
        const ir::scalar_kind k = operands.empty() ? ir::scalar_kind::none : from_.type_of(operands[0]).scalar;
        const bool real = ir::is_float(k), is_precise = from_.math == ir::math_mode::precise;
        switch (code) {
            case op::div: case op::sqrt: case op::fma: return real && is_precise;
            case op::rem: return real;
            case op::popcount: case op::clz: case op::ctz: case op::reverse_bits: return ir::bit_width(k) != 32;
            case op::subgroup_min: case op::subgroup_max: return real;
            default: return false;
        }
    }

    term lowered(ir::op code, const std::vector<term>& o) {
        using enum ir::scalar_kind;
        const bool is_half = o[0].kind() == f16;
        const auto wide = [&](std::size_t i) { return is_half ? lower::cast(f32, o[i]) : o[i]; };
        const auto narrow = [&](term t) { return is_half ? lower::cast(f16, t) : t; };
        if (code == op::nextafter || code == op::copysign) return find_function(code)->binary(o[0], o[1]);
        if (const function* f = find_function(code))
            return narrow(f->unary != nullptr ? f->unary(wide(0)) : f->binary(wide(0), wide(1)));
        if (code == op::div) return narrow(lower::exact_divide(wide(0), wide(1)));
        if (code == op::sqrt) return narrow(lower::exact_square_root(wide(0)));
        if (code == op::rem) return narrow(lower::float_remainder(wide(0), wide(1)));
        if (code == op::fma) return is_half ? lower::half_fma(o[0], o[1], o[2]) : lower::exact_fma(o[0], o[1], o[2]);
        if (code == op::popcount) return lower::count_bits(o[0]);
        if (code == op::clz) return lower::leading_zeros(o[0]);
        if (code == op::ctz) return lower::trailing_zeros(o[0]);
        if (code == op::reverse_bits) return lower::reverse_bits(o[0]);
        return lower::subgroup_extreme(code, o[0]);
    }

    const ir::module& from_;
    const features& features_;
    lowered_module result_;
    ir::importer import_;
    ir::builder builder_;
    lower::code code_;
    std::vector<ir::value_id> ids_;
};

}  // namespace

lowered_module lower_module(const ir::module& m, const features& f) { return pass(m, f).run(); }

}  // namespace quern::spirv
