// What a device must have for a kernel, said before any code is generated, with the user's line.
#include <fmt/format.h>
#include <quern/error.hpp>

#include <algorithm>

#include "backends/spirv/emitter.hpp"
#include "dsl/ir/effects.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/traversal.hpp"
#include "dsl/ir/validator.hpp"

namespace quern::spirv {
namespace {

class check {
public:
    check(const ir::module& m, const features& f) : m_(m), f_(f) {}

    void run() {
        check_bindings();
        for (const ir::parameter& p : m_.parameters) check_type(p.type, {}, "a parameter");
        for (const ir::variable& v : m_.variables) check_type(v.type, {}, "a variable");
        for (std::uint32_t i = 0; i < m_.values.size(); ++i) check_value({i});
    }

private:
    [[noreturn]] void fail(ir::location_id at, std::string_view what, ir::type_id t, std::string_view lacking) const {
        throw compile_error(fmt::format("{}: kernel \"{}\": {} of type {} needs {}, which this Vulkan device does not have",
                                        ir::describe(m_, at), m_.name, what, ir::print_type(m_, t), lacking),
                            {}, ir::print(m_));
    }

    /// One of them may be the launch block.
    void check_bindings() const {
        const auto buffers = static_cast<std::uint32_t>(std::count_if(m_.parameters.begin(), m_.parameters.end(), [](const ir::parameter& p) {
            return p.kind == ir::parameter_kind::buffer;
        }));
        if (f_.style() == memory_style::descriptors && f_.bindings != 0 && buffers + 1 > f_.bindings)
            throw compile_error(fmt::format("kernel \"{}\": {} buffer parameters need buffer addresses, or more than {} bindings, which "
                                            "this Vulkan device does not have", m_.name, buffers, f_.bindings), {}, ir::print(m_));
    }

    void check_type(ir::type_id t, ir::location_id at, std::string_view what) const {
        const ir::type& type = m_[t];
        switch (type.kind) {
            case ir::type_kind::none: return;
            case ir::type_kind::array: return check_type(type.element, at, what);
            case ir::type_kind::structure:
                for (const ir::member& member : m_.members_of(t)) check_type(member.type, at, what);
                return;
            case ir::type_kind::scalar: case ir::type_kind::vector: break;
        }
        using enum ir::scalar_kind;
        switch (type.scalar) {
            case none: case i32: case u32: case f32: return;
            case boolean: if (!f_.storage8) fail(at, what, t, "8-bit storage"); return;
            case i8: case u8: if (!f_.int8 || !f_.storage8) fail(at, what, t, "8-bit integers"); return;
            case i16: case u16: if (!f_.int16 || !f_.storage16) fail(at, what, t, "16-bit integers"); return;
            case i64: case u64: if (!f_.int64) fail(at, what, t, "64-bit integers"); return;
            case f16: if (!f_.float16 || !f_.storage16) fail(at, what, t, "half precision"); return;
            case bf16: if (!f_.int16 || !f_.storage16) fail(at, what, t, "16-bit integers (for bfloat16)"); return;
            case f64: if (!f_.float64 || !f_.int64) fail(at, what, t, "double precision"); return;
        }
    }

    /// Ops that take bits from one place to another, whatever they mean.
    static bool only_moves(ir::op code) {
        using ir::op;
        constexpr op movers[] = {op::constant, op::parameter, op::load, op::uniform_load, op::construct, op::extract,
                                 op::swizzle, op::select, op::bit_cast};
        return std::ranges::find(movers, code) != std::end(movers);
    }

    void check_value(ir::value_id id) const {
        const ir::value& v = m_[id];
        const ir::location_id at = ir::location_of(m_, id);
        const std::string_view name = ir::info(v.op).name;
        if (m_[v.type].scalar != ir::scalar_kind::boolean) check_type(v.type, at, name);
        if (!only_moves(v.op)) {  // SPIR-V's own bfloat16 is an extension that the writer does not use
            if (m_[v.type].scalar == ir::scalar_kind::bf16) fail(at, name, v.type, "bfloat16 arithmetic");
            for (const ir::value_id o : m_.operands_of(id))
                if (m_.type_of(o).scalar == ir::scalar_kind::bf16) fail(at, name, m_[o].type, "bfloat16 arithmetic");
        }
        if (ir::info(v.op).effect == ir::effect::convergent || v.op == ir::op::subgroup_size || v.op == ir::op::subgroup_lane ||
            v.op == ir::op::subgroup_id || v.op == ir::op::subgroup_count) {
            if (!f_.subgroups) fail(at, name, v.type, "subgroup operations");
            for (const ir::value_id o : m_.operands_of(id))
                if (ir::size_bytes(m_.type_of(o).scalar) != 4 && m_.type_of(o).scalar != ir::scalar_kind::boolean && !f_.subgroup_extended)
                    fail(at, name, m_[o].type, "subgroup operations on types other than 32-bit ones");
        }
        if (ir::info(v.op).effect != ir::effect::atomic) return;
        const ir::place& p = m_.places[v.immediate];
        if (m_[p.type].size_bytes == 8 && !(p.root == ir::root_kind::parameter ? f_.atomic64_buffer : f_.atomic64_shared))
            fail(at, name, p.type, "64-bit atomics");
    }

    const ir::module& m_;
    const features& f_;
};

}  // namespace

void check_capabilities(const ir::module& m, const features& f) { check(m, f).run(); }

}  // namespace quern::spirv
