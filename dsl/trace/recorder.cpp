#include "dsl/trace/recorder.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstring>

#include <quern/error.hpp>

#include "dsl/ir/builder.hpp"
#include "dsl/ir/effects.hpp"
#include "dsl/trace/constants.hpp"

namespace quern::trace {

namespace {

thread_local recorder* the_recorder = nullptr;
std::atomic<std::uint32_t> next_serial{1};

ir::parameter describe(ir::module& m, const quern_detail::parameter_desc& d) {
    const auto access = d.access == quern_detail::parameter_access::read    ? ir::access::read
                        : d.access == quern_detail::parameter_access::write ? ir::access::write
                                                                      : ir::access::read_write;
    return {d.kind == quern_detail::parameter_kind::buffer ? ir::parameter_kind::buffer : ir::parameter_kind::value, access,
            d.aliased, ir::intern(m, *d.type)};
}

std::uint64_t scalar_bits(ir::scalar_kind k, const std::byte* bytes) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, ir::size_bytes(k));
    return k == ir::scalar_kind::boolean ? std::uint64_t{bits != 0} : bits;
}

}  // namespace

recording::recording(recorder& r) { the_recorder = &r; }
recording::~recording() { the_recorder = nullptr; }
recorder* recorder::current() { return the_recorder; }

std::size_t recorder::node_hash::operator()(std::uint32_t id) const {
    const node_record& r = self->nodes_[id];
    std::uint64_t h = static_cast<std::uint64_t>(r.op) * 0x9e37'79b9'7f4a'7c15u + r.type.number;
    const auto mix = [&h](std::uint64_t x) { h = (h ^ x) * 0xff51'afd7'ed55'8ccdu, h ^= h >> 32; };
    mix(r.immediate);
    for (std::uint32_t i = 0; i < r.operands.count; ++i) mix(self->node_operands_[r.operands.first + i]);
    return static_cast<std::size_t>(h);
}

bool recorder::node_equal::operator()(std::uint32_t a, std::uint32_t b) const {
    const node_record& x = self->nodes_[a];
    const node_record& y = self->nodes_[b];
    if (x.op != y.op || x.type != y.type || x.immediate != y.immediate || x.operands.count != y.operands.count)
        return false;
    for (std::uint32_t i = 0; i < x.operands.count; ++i)
        if (self->node_operands_[x.operands.first + i] != self->node_operands_[y.operands.first + i]) return false;
    return true;
}

recorder::recorder(const request& r, std::span<const quern_detail::parameter_desc> parameters)
    : request_(r), serial_(next_serial.fetch_add(1, std::memory_order_relaxed)),
      interned_(64, node_hash{this}, node_equal{this}) {
    if (serial_ == constant_trace || serial_ >= mistake_trace) serial_ = next_serial.fetch_add(1) % 0x8000'0000u + 1;
    module_.name = r.kernel_name;
    module_.launch = r.launch;
    for (const quern_detail::parameter_desc& d : parameters) {
        const ir::parameter p = describe(module_, d);
        module_.parameters.push_back(p);
    }
    if (r.source) module_.parameter_names = parameter_names(*r.source, r.file, r.line, r.kernel_name, parameters.size());
    open_block();
}

ir::module recorder::finish() {
    if (!noticed_.empty()) throw usage_error(noticed_);
    if (open_.size() != 1) throw internal_error("quern: a traced block was left open");
    module_.body = close_block();
    return std::move(module_);
}

void recorder::fail(const std::string& message, const quern_detail::location& where) const {
    throw usage_error(fmt::format("{}:{}: {} (in kernel \"{}\")", where.file_name(), where.line(), message,
                                  request_.kernel_name));
}

void recorder::notice(const char* message, const quern_detail::location& where) noexcept {
    if (noticed_.empty())
        noticed_ = fmt::format("{}:{}: {} (in kernel \"{}\")", where.file_name(), where.line(), message,
                               request_.kernel_name);
}

// locations ----------------------------------------------------------------------------------------------------------

ir::location_id recorder::locate(const quern_detail::location& where) {
    last_location_ = where;
    auto [file, is_new] = files_.try_emplace(where.file_name());
    if (is_new) {
        ir::file_id known;
        for (std::uint32_t i = 0; i < module_.files.size(); ++i)
            if (module_.files[i] == where.file_name()) known = {i};
        if (known.is_none()) {
            known = {static_cast<std::uint32_t>(module_.files.size())};
            module_.files.emplace_back(where.file_name());
        }
        file->second = known;
    }
    const ir::location l{file->second, where.line(), where.column()};
    if (module_.locations.empty() || module_.locations.back().file != l.file ||
        module_.locations.back().line != l.line || module_.locations.back().column != l.column)
        module_.locations.push_back(l);
    const ir::location_id id{static_cast<std::uint32_t>(module_.locations.size() - 1)};
    settle_locations(id);
    return id;
}

/// Reads that did not know their line belong to the statement that follows them.
void recorder::settle_locations(ir::location_id l) {
    for (const ir::value_id v : unlocated_values_) module_.value_locations[v.number] = l;
    for (const auto& s : unlocated_statements_) module_[s.block].locations[s.index] = l;
    unlocated_values_.clear();
    unlocated_statements_.clear();
}

/// The name that the source declares at this line for the next value, if it can be read: the n-th declaration of its
/// kind for the n-th value.
std::string_view recorder::next_name(const quern_detail::location& where, declared_as how, std::string_view initialiser) {
    if (!request_.source) return {};
    std::vector<declared_name> names = declared_names(request_.source->line(where.file_name(), where.line()));
    std::erase_if(names, [&](const declared_name& n) { return n.how != how || !n.initialiser.starts_with(initialiser); });
    if (names.empty()) return {};
    const std::uint64_t key = std::uint64_t{files_[where.file_name()].number} << 32 | where.line();
    return names[names_taken_[key]++ % names.size()].name;
}

void recorder::name(ir::value_id v, std::string_view n) {
    if (n.empty()) return;
    module_.value_names.resize(module_.values.size());
    if (module_.value_names[v.number].empty()) module_.value_names[v.number] = n;
}

void recorder::name(ir::variable_id v, const quern_detail::location& where) {
    const std::string_view n = next_name(where, declared_as::statement);
    if (n.empty()) return;
    module_.variable_names.resize(module_.variables.size());
    module_.variable_names[v.number] = n;
}

// nodes --------------------------------------------------------------------------------------------------------------

ir::type_id recorder::type_of(const quern_detail::type_desc& d) {
    const auto [known, is_new] = types_.try_emplace(&d);
    if (is_new) known->second = ir::intern(module_, d);
    return known->second;
}

std::uint32_t recorder::intern(const node_record& r) {
    nodes_.push_back(r);
    const auto id = static_cast<std::uint32_t>(nodes_.size() - 1);
    const auto [known, is_new] = interned_.emplace(id, id);
    if (is_new) return id;
    nodes_.pop_back();
    node_operands_.resize(r.operands.first);
    return known->second;
}

quern_detail::node recorder::constant(const quern_detail::type_desc& type, std::span<const std::byte> bytes) {
    switch (type.kind) {
        case quern_detail::type_kind::none: break;
        case quern_detail::type_kind::scalar: {
            node_record r;
            r.type = type_of(type);
            r.operands.first = static_cast<std::uint32_t>(node_operands_.size());
            r.immediate = scalar_bits(type.scalar, bytes.data());
            return handle(intern(r));
        }
        case quern_detail::type_kind::vector:
        case quern_detail::type_kind::array: {
            std::vector<quern_detail::node> parts;
            for (std::uint32_t i = 0; i < type.count; ++i)
                parts.push_back(constant(*type.element, bytes.subspan(i * type.element->size_bytes,
                                                                      type.element->size_bytes)));
            return operation(ir::op::construct, type, parts, 0);
        }
        case quern_detail::type_kind::structure: {
            std::vector<quern_detail::node> parts;
            for (std::uint32_t i = 0; i < type.count; ++i)
                parts.push_back(constant(*type.members[i].type, bytes.subspan(type.members[i].offset_bytes,
                                                                              type.members[i].type->size_bytes)));
            return operation(ir::op::construct, type, parts, 0);
        }
    }
    throw internal_error("quern: a constant without a type");
}

quern_detail::node recorder::operation(ir::op code, ir::type_id type, std::span<const quern_detail::node> operands,
                                       std::uint64_t immediate) {
    // resolving may intern nodes of its own, so it comes before this node's operands are written
    std::uint32_t resolved[4];
    std::vector<std::uint32_t> many;
    std::uint32_t* ids = resolved;
    if (operands.size() > 4) many.resize(operands.size()), ids = many.data();
    for (std::size_t i = 0; i < operands.size(); ++i) ids[i] = resolve(operands[i]);
    node_record r;
    r.op = code;
    r.type = type;
    r.immediate = immediate;
    r.operands = {static_cast<std::uint32_t>(node_operands_.size()), static_cast<std::uint32_t>(operands.size())};
    node_operands_.insert(node_operands_.end(), ids, ids + operands.size());
    return handle(intern(r));
}

quern_detail::node recorder::member(quern_detail::node whole, std::span<const std::uint32_t> path) {
    for (const std::uint32_t number : path) {
        const node_record& r = nodes_[resolve(whole)];
        if (r.kind == node_kind::mistake) return whole;
        whole = operation(ir::op::extract, module_.members_of(r.type)[number].type, std::array{whole}, number);
    }
    return whole;
}

quern_detail::node recorder::array_element(quern_detail::node whole, quern_detail::node index, const quern_detail::type_desc& array,
                                           const quern_detail::type_desc& element, const quern_detail::location& where) {
    const node_record& i = nodes_[resolve(index)];
    if (i.kind == node_kind::floating && i.op == ir::op::constant) {
        if (i.immediate >= array.count) fail(fmt::format("index {} of an array of {}", i.immediate, array.count), where);
        return operation(ir::op::extract, element, std::array{whole}, i.immediate);
    }
    const auto held = variable(array, &whole, ir::storage::local, where);
    return load(ir::op::load, this->element(held, index, where), element, &where);
}

quern_detail::node recorder::mistake(std::string message) {
    node_record r;
    r.kind = node_kind::mistake;
    r.number = static_cast<std::uint32_t>(messages_.size());
    messages_.push_back(std::move(message));
    nodes_.push_back(r);
    return handle(static_cast<std::uint32_t>(nodes_.size() - 1));
}

std::uint32_t recorder::resolve(quern_detail::node n) {
    if (n.trace == serial_) return n.id;
    if (n.trace == constant_trace) {
        const auto known = imported_.find(n.id);
        if (known != imported_.end()) return known->second;
        const host_constant& c = constant_of(n);
        const std::uint32_t id = constant(*c.type, c.bytes).id;
        imported_.emplace(n.id, id);
        return id;
    }
    if (n.trace == mistake_trace) return mistake(mistake_of(n)).id;
    return mistake("this value belongs to another trace: a traced value lives only while its kernel is traced; pass it "
                   "as a parameter instead").id;
}

ir::value_id recorder::emit(node_record& r) {
    const auto first = static_cast<std::uint32_t>(module_.operands.size());
    for (std::uint32_t i = 0; i < r.operands.count; ++i)
        module_.operands.push_back(nodes_[node_operands_[r.operands.first + i]].value);
    r.value = {static_cast<std::uint32_t>(module_.values.size())};
    module_.values.push_back({r.op, r.type, {first, r.operands.count}, r.immediate});
    module_.value_locations.push_back({});
    r.block = open_.back();
    return r.value;
}

ir::value_id recorder::materialise(quern_detail::node n, const quern_detail::location& where) {
    const std::uint32_t root = resolve(n);
    const ir::location_id l = locate(where);
    work_.assign(1, root);
    while (!work_.empty()) {
        node_record& r = nodes_[work_.back()];
        switch (r.kind) {
            case node_kind::mistake: fail(messages_[r.number], where);
            case node_kind::pinned:
                if (!is_open(r.block))
                    fail("this value is used outside the block that defined it: declare a var before the block and "
                         "assign to it inside", where);
                work_.pop_back();
                continue;
            case node_kind::floating: break;
        }
        if (r.value && is_open(r.block)) {
            work_.pop_back();
            continue;
        }
        bool ready = true;
        for (std::uint32_t i = r.operands.count; i-- > 0;) {
            const std::uint32_t id = node_operands_[r.operands.first + i];
            const node_record& o = nodes_[id];
            if (o.kind == node_kind::mistake || o.value.is_none() || !is_open(o.block)) {
                work_.push_back(id);
                ready = false;
            }
        }
        if (!ready) continue;
        const ir::value_id v = emit(r);
        module_.value_locations[v.number] = l;
        push_statement(ir::define{v}, l);
        work_.pop_back();
    }
    return nodes_[root].value;
}

quern_detail::node recorder::name_value(quern_detail::node n, const quern_detail::location& where) {
    // `val i = global_id();` is one object: the call itself must find its name, and only there
    const node_record& wanted = nodes_[resolve(n)];
    const bool is_call = wanted.kind == node_kind::floating && ir::is_leaf(wanted.op) && wanted.op != ir::op::constant &&
                         wanted.op != ir::op::parameter && wanted.op != ir::op::buffer_size;
    const std::string_view call = is_call ? ir::info(wanted.op).name : std::string_view{};
    const ir::value_id v = materialise(n, where);
    name(v, next_name(where, declared_as::statement, call));
    node_record r;
    r.kind = node_kind::pinned;
    r.type = module_[v].type;
    r.value = v;
    r.block = open_.back();
    nodes_.push_back(r);
    return handle(static_cast<std::uint32_t>(nodes_.size() - 1));
}

quern_detail::node recorder::pin(ir::op code, const quern_detail::type_desc& type, std::span<const quern_detail::node> operands,
                           std::uint64_t immediate, const quern_detail::location& where) {
    node_record r;
    r.kind = node_kind::pinned;
    r.op = code;
    r.type = type_of(type);
    r.immediate = immediate;
    std::vector<std::uint32_t> ids;
    for (const quern_detail::node& o : operands) {
        materialise(o, where);
        ids.push_back(resolve(o));
    }
    r.operands = {static_cast<std::uint32_t>(node_operands_.size()), static_cast<std::uint32_t>(ids.size())};
    node_operands_.insert(node_operands_.end(), ids.begin(), ids.end());
    const ir::location_id l = locate(where);
    const ir::value_id v = emit(r);
    module_.value_locations[v.number] = l;
    push_statement(ir::define{v}, l);
    nodes_.push_back(r);
    return handle(static_cast<std::uint32_t>(nodes_.size() - 1));
}

}  // namespace quern::trace
