// The parser's share for types and places.
#include "dsl/ir/keywords.hpp"
#include "dsl/ir/parser.hpp"
#include "dsl/ir/validation.hpp"

namespace quern::ir {

type_id parser::parse_type() {
    if (++type_depth_ > max_type_depth) fail("types are nested more than {} deep", max_type_depth);
    const std::string_view word = expect(token_kind::word, "a type");
    type_id parsed;
    if (word == "none") {
        parsed = intern_none(module_);
    } else if (find_scalar(word) != scalar_kind::none) {
        parsed = intern_scalar(module_, find_scalar(word));
    } else if (word.size() == 4 && word.starts_with("vec") && word[3] >= '2' && word[3] <= '4') {
        expect_mark('<');
        const scalar_kind kind = find_scalar(expect(token_kind::word, "a scalar type"));
        if (kind == scalar_kind::none) fail("a vector has scalar components");
        expect_mark('>');
        parsed = intern_vector(module_, kind, static_cast<std::uint32_t>(word[3] - '0'));
    } else if (word == "array") {
        expect_mark('<');
        const type_id element = parse_type();
        expect_mark(',');
        const std::uint32_t count = expect_u32("an element count");
        if (std::uint64_t{count} * module_[element].size_bytes > 0xffff'ffffu) fail("the array is larger than 4 GiB");
        expect_mark('>');
        parsed = intern_array(module_, element, count);
    } else if (word == "struct") {
        parsed = parse_struct();
    } else {
        fail("'{}' is no type", word);
    }
    --type_depth_;
    return parsed;
}

type_id parser::parse_struct() {
    expect_mark('<');
    const std::uint32_t size = expect_u32("a size in bytes");
    expect_mark(',');
    const std::uint32_t alignment = expect_u32("an alignment in bytes");
    expect_mark('>');
    expect_mark('{');
    std::vector<member> members;
    while (!at_mark('}')) {
        if (!members.empty()) expect_mark(',');
        expect_mark('@');
        member m;
        m.offset_bytes = expect_u32("an offset in bytes");
        if (at(token_kind::word)) {
            m.name = token_.spelling;
            advance();
        }
        expect_mark(':');
        m.type = parse_type();
        members.push_back(std::move(m));
    }
    expect_mark('}');
    return intern_struct(module_, members, size, alignment);
}

place_id parser::parse_place() {
    const std::string_view name = expect(token_kind::name, "a place");
    const symbol root = find_name(name);
    const bool buffer = root.kind == symbol_kind::parameter;
    if (root.kind == symbol_kind::value || (buffer && module_.parameters[root.number].kind == parameter_kind::value))
        fail("%{} is a value, not a place", name);
    if (buffer && !at_mark('[')) fail("a place in the buffer %{} begins with an index", name);
    type_id inside = buffer ? module_.parameters[root.number].type : module_.variables[root.number].type;
    std::vector<step> steps;
    bool element = buffer;  // the next index selects an element of the buffer
    while (at_mark('[') || at_mark('.')) {
        if (inside.is_none()) fail("%{} has no such part", name);
        if (accept_mark('[')) {
            steps.push_back({.index = parse_operand()});
            expect_mark(']');
            if (!element) inside = module_[inside].element;
        } else {
            advance();
            const std::uint32_t number = parse_member(inside);
            steps.push_back({.kind = step::kind::member, .member = number});
            inside = module_[inside].kind == type_kind::structure ? module_.members_of(inside)[number].type
                                                                  : module_[inside].element;
        }
        element = false;
    }
    return build_.add_place(buffer ? root_kind::parameter : root_kind::variable, root.number, steps);
}

/// After the dot: a component's letter, a member's name, or "@" and a member's number.
std::uint32_t parser::parse_member(type_id inside) {
    const type& whole = module_[inside];
    if (whole.kind == type_kind::vector) {
        const std::string_view letter = expect(token_kind::word, "a component");
        const std::size_t number = letter.size() == 1 ? component_letters.find(letter[0]) : std::string_view::npos;
        if (number >= whole.count) fail("the vector has no component '{}'", letter);
        return static_cast<std::uint32_t>(number);
    }
    if (whole.kind != type_kind::structure) fail("only vectors and structs have members");
    const auto members = module_.members_of(inside);
    if (accept_mark('@')) {
        const std::uint32_t number = expect_u32("a member's number");
        if (number >= members.size()) fail("the struct has no member {}", number);
        return number;
    }
    const std::string_view name = expect(token_kind::word, "a member's name");
    for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i].name == name) return static_cast<std::uint32_t>(i);
    fail("the struct has no member '{}'", name);
}

}  // namespace quern::ir
