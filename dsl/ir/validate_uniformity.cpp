// What only the user can get wrong: cooperation in control flow that not everybody reaches, or that was not asked for.
#include <quern/error.hpp>

#include <optional>

#include "dsl/ir/traversal.hpp"
#include "dsl/ir/uniformity.hpp"
#include "dsl/ir/validation.hpp"

namespace quern::ir {
namespace {

class cooperation_check {
public:
    explicit cooperation_check(const module& m) : m_(m), table_(analyse_uniformity(m)) {}

    void run() {
        walk(m_.body, {});
        const bool sized = m_.workgroup_size[0] != 0;
        if ((m_.cooperative || m_.launch != launch_kind::over) && !sized)
            throw usage_error(
                fmt::format("{}kernel '{}' uses its workgroup (local_id, workgroup_id, shared, barrier, subgroup "
                            "operations, or a launch "
                            "with groups or tiles): call workgroup_size(…) in it first",
                            cooperates_at_.is_none() ? "" : describe(m_, cooperates_at_) + ": ", m_.name));
        if (m_.launch == launch_kind::tiles && (m_.covers[0] == 0 || m_.covers[1] == 0))
            throw usage_error(fmt::format(
                "kernel '{}' is launched with tiles: call covers(m, n) in it to say what one workgroup covers",
                m_.name));
    }

private:
    /// `split` is the statement that first divided the invocations, where one did.
    void walk(block_id b, location_id split) {
        const block& whole = m_[b];
        for (std::size_t i = 0; i < whole.statements.size(); ++i) {
            const statement& s = whole.statements[i];
            const uniformity together = table_.at(b, i);
            const location_id at = location_of(whole, i);
            if (std::holds_alternative<barrier>(s)) require("barrier()", together, uniformity::workgroup, at, split);
            if (const auto* d = std::get_if<define>(&s)) check_define(d->value, together, at, split);
            for_each_block(m_, s, [&](block_id inner) {
                const auto& control = table_.control[inner.number];
                const bool splits = !control.empty() && control.front() > together;
                walk(inner, split.is_none() && splits ? divider(s, at) : split);
            });
            // A jump out of this statement may have divided those that come after it.
            const bool left = i + 1 < whole.statements.size() && table_.at(b, i + 1) > together;
            if (left && split.is_none()) split = divider(s, at);
        }
    }

    /// Where the condition stands that divides the invocations: the statement's own, else one around a jump inside.
    location_id divider(const statement& s, location_id at) const {
        bool divides = false;
        for_each_use(m_, s, [&](value_id v) { divides |= table_.of(v) != uniformity::workgroup; });
        return divides ? at : divider_inside(s).value_or(at);
    }

    std::optional<location_id> divider_inside(const statement& s) const {
        std::optional<location_id> found;
        for_each_block(m_, s, [&](block_id inner) {
            const block& whole = m_[inner];
            for (std::size_t i = 0; i < whole.statements.size() && !found; ++i)
                if (jumps(whole.statements[i])) found = divider(whole.statements[i], location_of(whole, i));
        });
        return found;
    }

    /// A statement with a jump somewhere in its blocks.
    bool jumps(const statement& s) const {
        bool found = false;
        for_each_block(m_, s, [&](block_id inner) {
            for (const statement& child : m_[inner].statements) found = found || is_jump(child) || jumps(child);
        });
        return found;
    }

    void check_define(value_id v, uniformity together, location_id at, location_id split) {
        const value& record = m_[v];
        if (is_cooperative(record.op)) note_cooperation(at);
        if (info(record.op).effect == effect::convergent)
            require(info(record.op).name, together, uniformity::subgroup, at, split);
        if (record.op != op::uniform_load) return;

        require("uniform_load()", together, uniformity::workgroup, at, split);
        const place& from = m_[m_.place_of(v)];
        if (from.root != root_kind::variable || m_.variables[from.number].storage != storage::shared)
            fail(at, "uniform_load() reads shared memory only: read this place directly");
        for_each_index(m_, m_.place_of(v), [&](value_id index) {
            if (table_.of(index) != uniformity::workgroup)
                fail(at,
                     "the index of uniform_load() differs between invocations of the workgroup: use one that does "
                     "not depend on the invocation");
        });
    }

    void require(std::string_view what, uniformity together, uniformity wanted, location_id at, location_id split) {
        note_cooperation(at);
        if (together <= wanted) return;
        fail(at,
             fmt::format("{} is reached by only some invocations of the {}; move it out of the control flow that {} "
                         "divides, or make that condition the same for the whole {}",
                         what, wanted == uniformity::workgroup ? "workgroup" : "subgroup", describe(m_, split),
                         wanted == uniformity::workgroup ? "workgroup" : "subgroup"));
    }

    void note_cooperation(location_id at) {
        if (cooperates_at_.is_none()) cooperates_at_ = at;
    }

    [[noreturn]] void fail(location_id at, std::string_view text) const {
        throw usage_error(fmt::format("{}: {}", describe(m_, at), text));
    }

    const module& m_;
    uniformity_table table_;
    location_id cooperates_at_;  ///< the first statement that cooperates
};

}  // namespace

void check_uniformity(const module& m) { cooperation_check(m).run(); }

}  // namespace quern::ir
