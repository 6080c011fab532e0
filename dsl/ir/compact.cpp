#include "dsl/ir/compact.hpp"

#include <utility>

#include "dsl/ir/importer.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::ir {
namespace {

class rebuilder {
public:
    explicit rebuilder(const module& from) : from_(from), import_(from, to_), values_(from.values.size()) {}

    module run() {
        import_.header();
        to_.body = rebuild(from_.body);
        return std::move(to_);
    }

private:
    value_id of(value_id v) const { return values_[v.number]; }
    place_id place_of(place_id p) {
        return import_.place(p, [&](value_id v) { return of(v); });
    }

    block_id rebuild(block_id b) {
        const block_id opened{static_cast<std::uint32_t>(to_.blocks.size())};
        to_.blocks.emplace_back();
        const block& whole = from_[b];
        for (std::size_t i = 0; i < whole.statements.size(); ++i) {
            statement s = rebuild(whole.statements[i]);
            to_[opened].statements.push_back(std::move(s));
            to_[opened].locations.push_back(location_of(whole, i));
        }
        return opened;
    }

    value_id rebuild_value(value_id v) {
        return values_[v.number] = import_.value(v, [&](value_id o) { return of(o); });
    }

    statement rebuild(const statement& s) {
        return std::visit(overloaded{
                              [&](const define& d) -> statement { return define{rebuild_value(d.value)}; },
                              [&](const declare& d) -> statement { return declare{import_.variable(d.variable)}; },
                              [&](const store& t) -> statement { return store{place_of(t.place), of(t.value)}; },
                              [&](const if_statement& i) -> statement {
                                  const block_id then_block = rebuild(i.then_block);
                                  return if_statement{of(i.condition), then_block, rebuild(i.else_block)};
                              },
                              [&](const for_statement& l) -> statement {
                                  const value_id induction = rebuild_value(l.induction);
                                  return for_statement{induction, of(l.first), of(l.last), of(l.step), rebuild(l.body)};
                              },
                              [&](const while_statement& l) -> statement {
                                  const block_id head = rebuild(l.head);
                                  const value_id condition = of(l.condition);
                                  return while_statement{head, condition, rebuild(l.body)};
                              },
                              [&](const switch_statement& w) -> statement {
                                  std::vector<switch_case> cases;
                                  for (const switch_case& one : from_.cases_of(w))
                                      cases.push_back({one.literal, rebuild(one.body)});
                                  const block_id default_block = rebuild(w.default_block);
                                  return switch_statement{of(w.selector), import_.cases(cases), default_block};
                              },
                              [&](const assume& a) -> statement { return assume{of(a.condition)}; },
                              [](const break_statement& k) -> statement { return k; },
                              [](const continue_statement& k) -> statement { return k; },
                              [](const return_statement& k) -> statement { return k; },
                              [](const barrier& k) -> statement { return k; },
                              [](const fence& k) -> statement { return k; },
                          },
                          s);
    }

    const module& from_;
    module to_;
    importer import_;
    std::vector<value_id> values_;
};

}  // namespace

module compact(const module& m) { return rebuilder(m).run(); }

}  // namespace quern::ir
