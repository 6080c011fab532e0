// to_bytes: arenas in order with their slices inline, then the tree of blocks, then what was asked of the side tables.
#include "dsl/ir/bytes.hpp"
#include "dsl/ir/canonical.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::ir {
namespace {

class writer {
public:
    explicit writer(const module& m) : m_(m) {}

    std::vector<std::byte> run(side_tables tables) {
        out_.number(bytes_version);
        out_.number(static_cast<std::uint64_t>(tables));
        write_header();
        write_types();
        write_roots();
        write_values();
        write_block(m_.body);
        if (tables == side_tables::include) write_side_tables();
        return out_.take();
    }

private:
    template <class Enum>
    void enumerator(Enum e) {
        out_.number(static_cast<std::uint64_t>(e));
    }
    template <class Tag>
    void handle(id<Tag> h) {
        out_.handle(h.number);
    }

    void write_header() {
        enumerator(m_.launch);
        for (const std::uint32_t n : m_.workgroup_size) out_.number(n);
        for (const std::uint32_t n : m_.covers) out_.number(n);
        enumerator(m_.math);
        out_.number(m_.cooperative ? 1 : 0);
    }

    void write_types() {
        out_.number(m_.types.size());
        for (std::uint32_t i = 0; i < m_.types.size(); ++i) {
            const type& t = m_.types[i];
            enumerator(t.kind);
            enumerator(t.scalar);
            out_.number(t.count);
            out_.number(t.size_bytes);
            out_.number(t.alignment_bytes);
            handle(t.element);
            for (const member& inner : m_.members_of({i})) {
                out_.number(inner.offset_bytes);
                handle(inner.type);
            }
        }
    }

    void write_roots() {
        out_.number(m_.parameters.size());
        for (const parameter& p : m_.parameters) {
            enumerator(p.kind);
            enumerator(p.access);
            out_.number(p.aliased ? 1 : 0);
            handle(p.type);
        }
        out_.number(m_.variables.size());
        for (const variable& v : m_.variables) {
            enumerator(v.storage);
            handle(v.type);
        }
    }

    void write_values() {
        out_.number(m_.values.size());
        for (std::uint32_t i = 0; i < m_.values.size(); ++i) {
            const value& v = m_.values[i];
            enumerator(v.op);
            handle(v.type);
            out_.number(v.immediate);
            out_.number(v.operands.count);
            for (const value_id o : m_.operands_of({i})) handle(o);
        }
        out_.number(m_.places.size());
        for (std::uint32_t i = 0; i < m_.places.size(); ++i) {
            const place& p = m_.places[i];
            enumerator(p.root);
            out_.number(p.number);
            handle(p.type);
            out_.number(p.steps.count);
            for (const step& s : m_.steps_of({i})) {
                enumerator(s.kind);
                out_.number(s.kind == step::kind::index ? s.index.number : s.member);
            }
        }
    }

    /// Children follow their owner; the location of every statement goes to the side tables in this order.
    void write_block(block_id b) {
        const block& whole = m_[b];
        out_.number(whole.statements.size());
        for (std::size_t i = 0; i < whole.statements.size(); ++i) {
            const statement& s = whole.statements[i];
            locations_.push_back(location_of(whole, i));
            out_.number(s.index());
            std::visit(overloaded{
                           [&](const define& d) { handle(d.value); },
                           [&](const declare& d) { handle(d.variable); },
                           [&](const store& t) { handle(t.place), handle(t.value); },
                           [&](const if_statement& t) { handle(t.condition); },
                           [&](const for_statement& l) {
                               handle(l.induction), handle(l.first), handle(l.last), handle(l.step);
                           },
                           [&](const while_statement& l) { handle(l.condition); },
                           [&](const switch_statement& w) {
                               handle(w.selector);
                               out_.number(w.cases.count);
                               for (const switch_case& one : m_.cases_of(w)) out_.number(one.literal);
                           },
                           [](const break_statement&) {},
                           [](const continue_statement&) {},
                           [](const return_statement&) {},
                           [](const barrier&) {},
                           [&](const fence& f) { enumerator(f.scope); },
                           [&](const assume& a) { handle(a.condition); },
                       },
                       s);
            for_each_block(m_, s, [&](block_id inner) { write_block(inner); });
        }
    }

    void write_names(const std::vector<std::string>& names) {
        out_.number(names.size());
        for (const std::string& n : names) out_.text(n);
    }

    void write_side_tables() {
        out_.text(m_.name);
        write_names(m_.files);
        out_.number(m_.locations.size());
        for (const location& l : m_.locations) {
            handle(l.file);
            out_.number(l.line);
            out_.number(l.column);
        }
        out_.number(m_.value_locations.size());
        for (const location_id l : m_.value_locations) handle(l);
        for (const location_id l : locations_) handle(l);
        write_names(m_.value_names);
        write_names(m_.variable_names);
        write_names(m_.parameter_names);
        for (std::uint32_t i = 0; i < m_.types.size(); ++i)
            for (const member& inner : m_.members_of({i})) out_.text(inner.name);
    }

    const module& m_;
    byte_writer out_;
    std::vector<location_id> locations_;
};

}  // namespace

std::vector<std::byte> to_bytes(const module& m, side_tables tables) { return writer(m).run(tables); }

}  // namespace quern::ir
