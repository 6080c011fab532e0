// Loads and stores: finds how an address moves from lane to lane, then takes the cheapest access that fits. Plain
// vectors where lanes are neighbours, one scalar where they agree, wide vectors and shuffles for parts of structs,
// gathers and scatters otherwise.
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "backends/cpu/codegen/emitter.hpp"

namespace quern::cpu::codegen {

void emitter::prepare_scopes() {
    llvm::MDBuilder metadata(context_);
    llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("quern");
    const std::size_t parameters = module_.parameters.size();
    std::vector<llvm::MDNode*> scopes;
    for (std::size_t i = 0; i <= parameters; ++i) scopes.push_back(metadata.createAnonymousAliasScope(domain));
    const auto may_alias = [&](std::size_t a, std::size_t b) {
        if (a == b) return true;
        return a < parameters && b < parameters && (module_.parameters[a].aliased || module_.parameters[b].aliased);
    };
    for (std::size_t i = 0; i <= parameters; ++i) {
        llvm::SmallVector<llvm::Metadata*, 8> others;
        for (std::size_t k = 0; k <= parameters; ++k)
            if (!may_alias(i, k)) others.push_back(scopes[k]);
        scopes_.push_back(llvm::MDNode::get(context_, {scopes[i]}));
        others_.push_back(llvm::MDNode::get(context_, others));
    }
}

void emitter::mark_scope(llvm::Instruction* i) {
    if (accessed_root_ >= scopes_.size()) return;
    i->setMetadata(llvm::LLVMContext::MD_alias_scope, scopes_[accessed_root_]);
    i->setMetadata(llvm::LLVMContext::MD_noalias, others_[accessed_root_]);
}

const layout& emitter::layout_of(ir::place_id p) const {
    const ir::place& place = module_[p];
    if (place.root == ir::root_kind::parameter || module_.variables[place.number].storage == ir::storage::shared) return host_layout_;
    return layout_at(divergence_.variables[place.number]);
}

llvm::Value* emitter::root_pointer(ir::place_id p) {
    const ir::place& place = module_[p];
    if (place.root == ir::root_kind::parameter) {
        accessed_root_ = place.number;
        return buffer_base(place.number);
    }
    accessed_root_ = on_stack(place.number) ? scopes_.size() : module_.parameters.size();
    return variable_pointer(place.number);
}

emitter::address emitter::address_of(ir::place_id p, indices which) {
    const layout& l = layout_of(p);
    const bool spread = !l.is_host() && l.lanes() > 1;
    address a;
    a.base = root_pointer(p);
    const ir::place& place = module_[p];
    const bool buffer = place.root == ir::root_kind::parameter;
    ir::type_id type = buffer ? module_.parameters[place.number].type : module_.variables[place.number].type;
    bool first = true;
    std::size_t indices = 0;
    for (const ir::step& s : module_.steps_of(p)) {
        if (s.kind == ir::step::kind::member) {
            a.within += l.member_offset_bytes(type, s.member);
            type = part_type(module_, type, s.member);
            first = false;
            continue;
        }
        const bool element = buffer && first;
        const std::uint64_t stride = element ? l.size_bytes(type) : l.stride_bytes(type);
        if (!element) type = part_type(module_, type);
        first = false;
        ++indices;
        if (a.within) a.base = offset_pointer(a.base, i64(a.within));
        a.within = 0;
        a.element_bytes = stride;

        lane_value index = operand(s.index)[0];
        if (which == indices::likely && index.likely) index = lane_value::affine(index.likely, index.stride);
        const ir::scalar_kind k = scalar_of(s.index);
        const bool is_signed = ir::is_signed_integer(k);
        const auto bytes = [&](llvm::Value* v, std::uint64_t times) {
            return b_.CreateMul(v, llvm::ConstantInt::get(v->getType(), times));
        };
        const auto extend = [&](llvm::Value* v) -> llvm::Value* {
            if (auto* t = llvm::dyn_cast<llvm::TruncInst>(v); t && t->hasNoUnsignedWrap() && !is_signed) return t->getOperand(0);
            return b_.CreateIntCast(v, like(v, b_.getInt64Ty()), is_signed);
        };
        if (index.is_uniform()) {
            a.base = offset_pointer(a.base, bytes(extend(index.value), stride));
        } else if (index.shape == shape::affine && !spread) {
            const auto step = static_cast<std::uint64_t>(index.stride);
            a.lane_stride += static_cast<std::int64_t>(stride * step);
            const bool may_wrap = mask() && mask() != prefix_mask_ && !index.ordered && ir::is_unsigned_integer(k) && ir::bit_width(k) < 64;
            if (may_wrap) {
                // lanes that are off may have wrapped: start from the first lane that is on and step back
                llvm::Value* from = first_lane(mask());
                llvm::Value* there = b_.CreateAdd(index.value, b_.CreateMul(b_.CreateIntCast(from, index.value->getType(), false),
                                                                            llvm::ConstantInt::get(index.value->getType(), step)));
                llvm::Value* back = bytes(b_.CreateZExt(from, b_.getInt64Ty()), step * stride);
                a.base = offset_pointer(a.base, b_.CreateSub(bytes(extend(there), stride), back));
            } else {
                a.base = offset_pointer(a.base, bytes(extend(index.value), stride));
            }
        } else {
            llvm::Value* offsets = bytes(extend(vector(index)), stride);
            a.offsets = a.offsets ? b_.CreateAdd(a.offsets, offsets) : offsets;
        }
    }
    if (a.offsets) {
        if (a.lane_stride) a.offsets = b_.CreateAdd(a.offsets, lane_numbers(b_.getInt64Ty(), a.lane_stride));
        a.shape = shape::varying;
    } else if (a.lane_stride) {
        a.shape = shape::affine;
    }
    if (indices != 1 || spread) a.element_bytes = 0;  // base may point into an element
    return a;
}

bool emitter::pack_agrees_on_indices(ir::place_id p) const {
    const auto steps = module_.steps_of(p);
    return std::all_of(steps.begin(), steps.end(),
                       [&](const ir::step& s) { return s.kind != ir::step::kind::index || pack_agrees(s.index); });
}

/// Memory that may be read at the place's type, whatever its indices are.
llvm::Value* emitter::harmless_pointer(ir::place_id p) {
    return module_[p].root == ir::root_kind::parameter ? launch_ : root_pointer(p);
}

llvm::Value* emitter::leaf_pointer(const address& a, std::uint64_t offset_bytes) {
    const std::uint64_t at = a.within + offset_bytes;
    return at ? offset_pointer(a.base, i64(at)) : a.base;
}

llvm::Value* emitter::lane_pointers(const address& a, std::uint64_t offset_bytes, const layout& l, ir::scalar_kind k) {
    llvm::Value* offsets = a.shape == shape::varying ? a.offsets : lane_numbers(b_.getInt64Ty(), a.lane_stride);
    if (!l.is_host() && l.lanes() > 1) offsets = b_.CreateAdd(offsets, lane_numbers(b_.getInt64Ty(), ir::size_bytes(k)));
    return offset_pointer(leaf_pointer(a, offset_bytes), offsets);
}

llvm::Value* emitter::to_memory(llvm::Value* v, ir::scalar_kind k) {
    return k == ir::scalar_kind::boolean ? b_.CreateZExt(v, like(v, b_.getInt8Ty())) : v;
}

llvm::Value* emitter::from_memory(llvm::Value* v, ir::scalar_kind k) {
    return k == ir::scalar_kind::boolean ? b_.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType())) : v;
}

/// LLVM 19 spills the zero-extension of an 8-lane mask register as if it were a copy, and then a masked access of 8 bytes
/// reaches 8 bytes further. The mask of 16 lanes that it needs comes through memory instead.
llvm::Value* emitter::widen_byte_mask(llvm::Value* mask) {
    llvm::AllocaInst* bits = allocate(b_.getInt8Ty(), "mask");
    b_.CreateStore(b_.CreateBitCast(mask, b_.getInt8Ty()), bits, true);
    llvm::Value* wide = b_.CreateZExt(b_.CreateLoad(b_.getInt8Ty(), bits, true), b_.getInt16Ty());
    return b_.CreateBitCast(wide, llvm::FixedVectorType::get(b_.getInt1Ty(), 16));
}

llvm::Value* emitter::load_vector(llvm::Value* pointer, llvm::Type* scalar, llvm::Value* mask, unsigned count) {
    auto* type = llvm::FixedVectorType::get(scalar, count);
    const llvm::Align alignment(scalar->getPrimitiveSizeInBits() / 8);
    if (!mask) return in_scope(b_.CreateAlignedLoad(type, pointer, alignment));
    if (options_.has_byte_masks && count == 8 && scalar->isIntegerTy(8)) {
        auto* wide = llvm::FixedVectorType::get(scalar, 16);
        llvm::Value* v = in_scope(b_.CreateMaskedLoad(wide, pointer, alignment, widen_byte_mask(mask), llvm::Constant::getNullValue(wide)));
        return b_.CreateShuffleVector(v, llvm::ArrayRef<int>{0, 1, 2, 3, 4, 5, 6, 7});
    }
    return in_scope(b_.CreateMaskedLoad(type, pointer, alignment, mask, llvm::Constant::getNullValue(type)));
}

void emitter::store_vector(llvm::Value* pointer, llvm::Value* value, llvm::Value* mask) {
    const auto* type = llvm::cast<llvm::FixedVectorType>(value->getType());
    const llvm::Align alignment(type->getScalarSizeInBits() / 8);
    if (mask && options_.has_byte_masks && type->getNumElements() == 8 && type->getElementType()->isIntegerTy(8)) {
        value = b_.CreateShuffleVector(value, llvm::ArrayRef<int>{0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1, -1, -1, -1, -1});
        mask = widen_byte_mask(mask);
    }
    if (mask) mark_scope(b_.CreateMaskedStore(value, pointer, alignment, mask));
    else mark_scope(b_.CreateAlignedStore(value, pointer, alignment));
}

/// Lanes that are off read what the first lane that is on reads: cheaper than a mask where gathers are loads in a row.
llvm::Value* emitter::gather(llvm::Value* pointers, llvm::Type* scalar, llvm::Value* harmless) {
    if (mask()) pointers = b_.CreateSelect(mask(), pointers, splat(readable_where_off(lane(pointers, first_lane(mask())), harmless)));
    const llvm::Align alignment(scalar->getPrimitiveSizeInBits() / 8);
    return in_scope(b_.CreateMaskedGather(vector_of(scalar), pointers, alignment));
}

void emitter::scatter(llvm::Value* pointers, llvm::Value* value) {
    const llvm::Align alignment(value->getType()->getScalarSizeInBits() / 8);
    mark_scope(b_.CreateMaskedScatter(value, pointers, alignment, mask()));
}

llvm::Value* emitter::repeat_mask(llvm::Value* mask, unsigned times) {
    llvm::SmallVector<int, 64> from;
    for (std::uint32_t i = 0; i < lanes_; ++i) from.append(times, static_cast<int>(i));
    return b_.CreateShuffleVector(mask, from);
}

namespace {

/// Scalars an element if all leaves have one size that divides it and the stride is one element, else 0.
unsigned interleaved_count(std::int64_t lane_stride, std::uint64_t element_bytes, std::uint64_t within, std::span<const leaf> leaves) {
    constexpr unsigned most = 8;
    if (lane_stride <= 0 || static_cast<std::uint64_t>(lane_stride) != element_bytes) return 0;
    const std::uint64_t size = ir::size_bytes(leaves[0].kind);
    for (const leaf& l : leaves)
        if (ir::size_bytes(l.kind) != size || (within + l.offset_bytes) % size != 0) return 0;
    const std::uint64_t n = element_bytes / size;
    return element_bytes % size == 0 && n >= 2 && n <= most ? static_cast<unsigned>(n) : 0;
}

}  // namespace

std::optional<components> emitter::load_interleaved(const address& a, std::span<const leaf> leaves) {
    const unsigned n = interleaved_count(a.lane_stride, a.element_bytes, a.within, leaves);
    if (n == 0) return std::nullopt;
    const std::uint64_t size = ir::size_bytes(leaves[0].kind);
    llvm::Type* scalar = memory_type(leaves[0].kind);
    llvm::Value* all = load_vector(a.base, scalar, mask() ? repeat_mask(mask(), n) : nullptr, n * lanes_);
    components out;
    for (const leaf& l : leaves) {
        llvm::SmallVector<int, 16> from;
        for (std::uint32_t i = 0; i < lanes_; ++i) from.push_back(static_cast<int>(i * n + (a.within + l.offset_bytes) / size));
        llvm::Value* v = b_.CreateShuffleVector(all, from);
        out.push_back(lane_value::varying(from_memory(b_.CreateBitCast(v, vector_of(memory_type(l.kind))), l.kind)));
    }
    return out;
}

bool emitter::store_interleaved(const address& a, std::span<const leaf> leaves, const components& value) {
    const unsigned n = interleaved_count(a.lane_stride, a.element_bytes, a.within, leaves);
    if (n == 0) return false;
    const std::uint64_t size = ir::size_bytes(leaves[0].kind);
    llvm::Type* scalar = memory_type(leaves[0].kind);
    // component c of lane i goes to i * n + c; parts of the element that are not stored stay off
    llvm::SmallVector<int, 128> order(std::size_t{n} * lanes_, -1);
    llvm::SmallVector<llvm::Constant*, 128> stored(std::size_t{n} * lanes_, b_.getFalse());
    llvm::Value* joined = nullptr;
    for (std::size_t c = 0; c < leaves.size(); ++c) {
        llvm::Value* v = b_.CreateBitCast(to_memory(vector(value[c]), leaves[c].kind), vector_of(scalar));
        llvm::SmallVector<int, 128> append;
        for (std::size_t i = 0; i < (c + 1) * lanes_; ++i) append.push_back(static_cast<int>(i));
        if (joined) {
            llvm::SmallVector<int, 128> widen;
            for (std::size_t i = 0; i < c * lanes_; ++i) widen.push_back(i < lanes_ ? static_cast<int>(i) : -1);
            v = c == 1 ? v : b_.CreateShuffleVector(v, widen);
            for (std::size_t i = 0; i < lanes_; ++i) append[c * lanes_ + i] = static_cast<int>(c * lanes_ + i);
            joined = b_.CreateShuffleVector(joined, v, append);
        } else {
            joined = v;
        }
        for (std::uint32_t i = 0; i < lanes_; ++i) {
            const std::size_t to = i * n + (a.within + leaves[c].offset_bytes) / size;
            order[to] = static_cast<int>(c * lanes_ + i);
            stored[to] = b_.getTrue();
        }
    }
    llvm::Value* on = leaves.size() < n ? static_cast<llvm::Value*>(llvm::ConstantVector::get(stored)) : nullptr;
    if (mask()) on = on ? b_.CreateAnd(on, repeat_mask(mask(), n)) : repeat_mask(mask(), n);
    store_vector(a.base, b_.CreateShuffleVector(joined, order), on);
    return true;
}

llvm::Value* emitter::lanes_count(ir::place_id p) {
    if (!layout_of(p).is_host()) return nullptr;
    llvm::Value* all = nullptr;
    for (const ir::step& s : module_.steps_of(p)) {
        if (s.kind != ir::step::kind::index) continue;
        const lane_value index = operand(s.index)[0];
        if (index.shape != shape::varying) continue;
        if (!index.likely) return nullptr;
        all = all ? b_.CreateAnd(all, index.counts) : index.counts;
    }
    return all;
}

components emitter::load_place(ir::place_id p) {
    llvm::Value* counts = lanes_count(p);
    if (!counts) return load_from(p, address_of(p));
    llvm::BasicBlock *inside = new_block("inside"), *edge = new_block("edge"), *end = new_block("loaded");
    b_.CreateCondBr(counts, inside, edge);
    continue_in(inside);
    components all = load_from(p, address_of(p, indices::likely));
    inside = b_.GetInsertBlock();
    b_.CreateBr(end);
    continue_in(edge);
    const components gathered = load_from(p, address_of(p));
    edge = b_.GetInsertBlock();
    b_.CreateBr(end);
    continue_in(end);
    for (std::size_t i = 0; i < all.size(); ++i) {
        llvm::PHINode* either = b_.CreatePHI(all[i].value->getType(), 2);
        either->addIncoming(all[i].value, inside);
        either->addIncoming(gathered[i].value, edge);
        all[i] = lane_value::varying(either);
    }
    return all;
}

components emitter::load_from(ir::place_id p, const address& a) {
    const layout& l = layout_of(p);
    const bool spread = !l.is_host() && l.lanes() > 1;
    const std::vector<leaf> leaves = l.leaves(module_[p].type);
    if (a.shape == shape::affine && !leaves.empty())
        if (auto all = load_interleaved(a, leaves)) return *all;
    const auto shared_pointer = [&](const leaf& each) {
        llvm::Value* at = leaf_pointer(a, each.offset_bytes);
        return pack_agrees_on_indices(p) ? at : readable_where_off(at, harmless_pointer(p));
    };
    components all;
    for (const leaf& each : leaves) {
        llvm::Type* scalar = memory_type(each.kind);
        const auto size = static_cast<std::int64_t>(ir::size_bytes(each.kind));
        llvm::Value* v = nullptr;
        if (a.shape == shape::uniform && !spread) {
            v = in_scope(b_.CreateAlignedLoad(scalar, shared_pointer(each), llvm::Align(static_cast<std::uint64_t>(size))));
            all.push_back(lane_value::uniform(from_memory(v, each.kind)));
            continue;
        }
        if (a.shape == shape::uniform) {
            const llvm::Align alignment(std::min<std::uint64_t>(64, static_cast<std::uint64_t>(size) * lanes_));
            v = in_scope(b_.CreateAlignedLoad(vector_of(scalar), shared_pointer(each), alignment));
        } else if (a.shape == shape::affine && a.lane_stride == size) {
            v = load_vector(leaf_pointer(a, each.offset_bytes), scalar, mask(), lanes_);
        } else if (a.shape == shape::affine && a.lane_stride == -size) {
            llvm::Value* start = offset_pointer(leaf_pointer(a, each.offset_bytes), b_.getInt64(static_cast<std::uint64_t>(-size * (lanes_ - 1))));
            v = b_.CreateVectorReverse(load_vector(start, scalar, mask() ? b_.CreateVectorReverse(mask()) : nullptr, lanes_));
        } else {
            v = gather(lane_pointers(a, each.offset_bytes, l, each.kind), scalar, harmless_pointer(p));
        }
        all.push_back(lane_value::varying(from_memory(v, each.kind)));
    }
    return all;
}

void emitter::store_place(ir::place_id p, const components& value, bool blends) {
    const layout& l = layout_of(p);
    const bool spread = !l.is_host() && l.lanes() > 1;
    const address a = address_of(p);
    const std::vector<leaf> leaves = l.leaves(module_[p].type);
    if (a.shape == shape::affine && !leaves.empty() && store_interleaved(a, leaves, value)) return;
    // a vector without lanes writes back what it reads, or what none of its lanes will read
    const auto local_pointer = [&](const leaf& each) {
        llvm::Value* at = leaf_pointer(a, each.offset_bytes);
        return pack_agrees_on_indices(p) ? at : readable_where_off(at, harmless_pointer(p));
    };
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const leaf& each = leaves[i];
        const auto size = static_cast<std::int64_t>(ir::size_bytes(each.kind));
        if (a.shape == shape::uniform && !spread) {
            // many lanes, one place: the last one stays
            llvm::Value* v = value[i].is_uniform() ? value[i].value
                                                   : lane(vector(value[i]), mask() ? last_lane(mask()) : b_.getInt32(lanes_ - 1));
            v = to_memory(v, each.kind);
            const llvm::Align alignment(static_cast<std::uint64_t>(size));
            llvm::Value* at = l.is_host() ? writable_where_off(leaf_pointer(a, each.offset_bytes)) : local_pointer(each);
            if (!l.is_host() && blends && may_be_off())
                v = b_.CreateSelect(any(mask()), v, in_scope(b_.CreateAlignedLoad(v->getType(), at, alignment)));
            mark_scope(b_.CreateAlignedStore(v, at, alignment));
            continue;
        }
        llvm::Value* v = to_memory(vector(value[i]), each.kind);
        if (a.shape == shape::uniform) {
            const llvm::Align alignment(std::min<std::uint64_t>(64, static_cast<std::uint64_t>(size) * lanes_));
            llvm::Value* at = local_pointer(each);
            if (blends && mask()) v = b_.CreateSelect(mask(), v, in_scope(b_.CreateAlignedLoad(v->getType(), at, alignment)));
            mark_scope(b_.CreateAlignedStore(v, at, alignment));
        } else if (a.shape == shape::affine && a.lane_stride == size) {
            store_vector(leaf_pointer(a, each.offset_bytes), v, mask());
        } else if (a.shape == shape::affine && a.lane_stride == -size) {
            llvm::Value* start = offset_pointer(leaf_pointer(a, each.offset_bytes), b_.getInt64(static_cast<std::uint64_t>(-size * (lanes_ - 1))));
            store_vector(start, b_.CreateVectorReverse(v), mask() ? b_.CreateVectorReverse(mask()) : nullptr);
        } else {
            scatter(lane_pointers(a, each.offset_bytes, l, each.kind), v);
        }
    }
}

components emitter::emit_load(ir::value_id v, std::span<const components>) { return load_place(module_.place_of(v)); }

void emitter::emit_store(const ir::store& s, const statement_facts& facts) {
    const ir::place& place = module_[s.place];
    const bool local = place.root == ir::root_kind::variable && module_.variables[place.number].storage == ir::storage::local;
    each_vector(local ? divergence_.variables[place.number] : level::lane,
                [&] { store_place(s.place, operand(s.value), facts.blends); });
}

}  // namespace quern::cpu::codegen
