// from_bytes: the mirror of the writer, over bytes that nobody vouches for.
#include <algorithm>

#include "dsl/ir/bytes.hpp"
#include "dsl/ir/canonical.hpp"
#include "dsl/ir/traversal.hpp"
#include "dsl/ir/validation.hpp"

namespace quern::ir {
namespace {

class reader {
public:
    explicit reader(std::span<const std::byte> bytes) : in_(bytes) {}

    module run() {
        if (in_.number() != bytes_version) byte_reader::fail();
        tables_ = in_.enumerator(side_tables::include);
        read_header();
        read_types();
        read_roots();
        read_values();
        m_.body = read_block();
        if (tables_ == side_tables::include) read_side_tables();
        if (!in_.at_end()) byte_reader::fail();
        return std::move(m_);
    }
    side_tables tables() const { return tables_; }

private:
    template <class Id>
    Id handle() {
        return {in_.handle()};
    }
    bool flag() { return in_.below(2) != 0; }

    void read_header() {
        m_.launch = in_.enumerator(launch_kind::tiles);
        for (std::uint32_t& n : m_.workgroup_size) n = in_.u32();
        for (std::uint32_t& n : m_.covers) n = in_.u32();
        m_.math = in_.enumerator(math_mode::fast);
        m_.cooperative = flag();
    }

    void read_types() {
        m_.types.resize(in_.count());
        for (type& t : m_.types) {
            t.kind = in_.enumerator(type_kind::structure);
            t.scalar = in_.enumerator(scalar_kind::f64);
            t.count = in_.u32();
            t.size_bytes = in_.u32();
            t.alignment_bytes = in_.u32();
            t.element = handle<type_id>();
            t.members.first = static_cast<std::uint32_t>(m_.members.size());
            if (t.kind != type_kind::structure) continue;
            t.members.count = t.count;
            for (std::uint32_t i = 0; i < t.count; ++i) {
                member inner;
                inner.offset_bytes = in_.u32();
                inner.type = handle<type_id>();
                m_.members.push_back(std::move(inner));
            }
        }
    }

    void read_roots() {
        m_.parameters.resize(in_.count());
        for (parameter& p : m_.parameters) {
            p.kind = in_.enumerator(parameter_kind::value);
            p.access = in_.enumerator(access::read_write);
            p.aliased = flag();
            p.type = handle<type_id>();
        }
        m_.variables.resize(in_.count());
        for (variable& v : m_.variables) {
            v.storage = in_.enumerator(storage::shared);
            v.type = handle<type_id>();
        }
    }

    void read_values() {
        m_.values.resize(in_.count());
        for (value& v : m_.values) {
            v.op = in_.enumerator(static_cast<op>(op_count - 1));
            v.type = handle<type_id>();
            v.immediate = in_.number();
            v.operands = {static_cast<std::uint32_t>(m_.operands.size()), static_cast<std::uint32_t>(in_.count())};
            for (std::uint32_t i = 0; i < v.operands.count; ++i) m_.operands.push_back(handle<value_id>());
        }
        m_.places.resize(in_.count());
        for (place& p : m_.places) {
            p.root = in_.enumerator(root_kind::variable);
            p.number = in_.u32();
            p.type = handle<type_id>();
            p.steps = {static_cast<std::uint32_t>(m_.steps.size()), static_cast<std::uint32_t>(in_.count())};
            for (std::uint32_t i = 0; i < p.steps.count; ++i) {
                step s;
                s.kind = in_.enumerator(step::kind::member);
                (s.kind == step::kind::index ? s.index.number : s.member) = in_.u32();
                m_.steps.push_back(s);
            }
        }
    }

    block_id read_block() {
        if (++depth_ > max_block_depth) byte_reader::fail();
        const block_id opened{static_cast<std::uint32_t>(m_.blocks.size())};
        m_.blocks.emplace_back();
        for (std::size_t left = in_.count(); left > 0; --left) {
            order_.push_back({opened, m_[opened].statements.size()});
            statement s = read_statement();
            m_[opened].statements.push_back(std::move(s));
        }
        --depth_;
        return opened;
    }

    /// In the order of the variant's alternatives.
    statement read_statement() {
        using make = statement (*)(reader&);
        static constexpr std::array<make, std::variant_size_v<statement>> makers{
            [](reader& r) -> statement { return define{r.handle<value_id>()}; },
            [](reader& r) -> statement { return declare{r.handle<variable_id>()}; },
            [](reader& r) -> statement {
                const auto to = r.handle<place_id>();
                return store{to, r.handle<value_id>()};
            },
            [](reader& r) -> statement {
                const auto condition = r.handle<value_id>();
                const block_id then_block = r.read_block();
                return if_statement{condition, then_block, r.read_block()};
            },
            [](reader& r) -> statement {
                for_statement l{};
                for (value_id* v : {&l.induction, &l.first, &l.last, &l.step}) *v = r.handle<value_id>();
                l.body = r.read_block();
                return l;
            },
            [](reader& r) -> statement {
                const auto condition = r.handle<value_id>();
                const block_id head = r.read_block();
                return while_statement{head, condition, r.read_block()};
            },
            [](reader& r) -> statement { return r.read_switch(); },
            [](reader&) -> statement { return break_statement{}; },
            [](reader&) -> statement { return continue_statement{}; },
            [](reader&) -> statement { return return_statement{}; },
            [](reader&) -> statement { return barrier{}; },
            [](reader& r) -> statement { return fence{r.in_.enumerator(scope::device)}; },
            [](reader& r) -> statement { return assume{r.handle<value_id>()}; },
        };
        return makers[in_.below(makers.size())](*this);
    }

    switch_statement read_switch() {
        const auto selector = handle<value_id>();
        std::vector<switch_case> cases(in_.count());
        for (switch_case& one : cases) one.literal = in_.number();
        for (switch_case& one : cases) one.body = read_block();
        const slice s{static_cast<std::uint32_t>(m_.cases.size()), static_cast<std::uint32_t>(cases.size())};
        m_.cases.insert(m_.cases.end(), cases.begin(), cases.end());
        return {selector, s, read_block()};
    }

    void read_names(std::vector<std::string>& names) {
        names.resize(in_.count());
        for (std::string& n : names) n = in_.text();
    }

    void read_side_tables() {
        m_.name = in_.text();
        read_names(m_.files);
        m_.locations.resize(in_.count());
        for (location& l : m_.locations) {
            l.file = handle<file_id>();
            l.line = in_.u32();
            l.column = in_.u32();
        }
        m_.value_locations.resize(in_.count());
        for (location_id& l : m_.value_locations) l = handle<location_id>();
        for (block& b : m_.blocks) b.locations.resize(b.statements.size());
        for (const auto& [b, statement] : order_) m_[b].locations[statement] = handle<location_id>();
        read_names(m_.value_names);
        read_names(m_.variable_names);
        read_names(m_.parameter_names);
        for (member& inner : m_.members) inner.name = in_.text();
    }

    struct position {
        block_id block;
        std::size_t statement;
    };

    byte_reader in_;
    module m_;
    std::vector<position> order_;  // of statements, as written
    std::uint32_t depth_ = 0;
    side_tables tables_ = side_tables::omit;
};

}  // namespace

module from_bytes(std::span<const std::byte> bytes) {
    reader r(bytes);
    module m = r.run();
    try {
        check_well_formed(m);
    } catch (const malformation& found) {
        throw usage_error("these bytes are no kernel: " + found.text);
    }
    // Numbers have more than one encoding; only the writer's own is accepted.
    const auto again = to_bytes(m, r.tables());
    if (!std::equal(bytes.begin(), bytes.end(), again.begin(), again.end())) byte_reader::fail();
    return m;
}

}  // namespace quern::ir
