// Workgroups: scalar control around barriers, loops over the group's vectors between them.
#include <llvm/IR/CFG.h>

#include <unordered_set>

#include "backends/cpu/codegen/emitter.hpp"

namespace quern::cpu::codegen {

std::uint32_t emitter::workgroup_invocations() const {
    return form_ == launch_form::range ? lanes_ : module_.workgroup_size[0] * module_.workgroup_size[1] * module_.workgroup_size[2];
}

void emitter::emit_group_form() {
    if (workgroup_invocations() == 0) refuse(module_, "the launch needs a workgroup size and the kernel names none");
    count_loop(function_->getArg(1), function_->getArg(2), 1, "group", [&](llvm::Value* x) {
        at().x = x;
        at().vector = b_.getInt32(0);
        if (plan_.keeps_returned) {
            for (std::uint32_t i = 0; i < vector_count() * lanes_; i += lanes_)
                b_.CreateAlignedStore(llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes_), b_.getInt8(1)),
                                      offset_pointer(scratch_, i64(returned_scratch_ + i)), llvm::Align(1));
        }
        llvm::BasicBlock* end = new_block("group.next");
        return_to_ = end;
        emit_group_block(module_.body);
        branch_to(end);
        continue_in(end);
    });
}

void emitter::emit_group_block(ir::block_id b) {
    if (b.is_none()) return;
    std::vector<std::size_t> run;
    const auto flush = [&] {
        if (!run.empty() && reachable()) emit_region(b, run);
        run.clear();
    };
    const auto& statements = module_[b].statements;
    for (std::size_t i = 0; i < statements.size() && reachable(); ++i) {
        if (!plan_.at_group_level(b, i)) {
            run.push_back(i);
            continue;
        }
        // what only reads values of the group needs no place among the lanes' statements
        const auto* d = std::get_if<ir::define>(&statements[i]);
        if (!(d && module_[d->value].op != ir::op::uniform_load)) flush();
        if (reachable()) emit_group_statement(b, i);
    }
    flush();
}

void emitter::emit_group_statement(ir::block_id b, std::size_t i) {
    struct visitor {
        emitter& e;

        void operator()(const ir::define& s) { e.group_values_[s.value.number] = e.compute(s.value); }
        void operator()(const ir::declare& s) { e.declare(s.variable); }
        void operator()(const ir::store& s) { e.store_place(s.place, e.operand(s.value), false); }
        void operator()(const ir::if_statement& s) {
            e.emit_uniform_if(s, e.group_scalar(s.condition), [&](ir::block_id b) { e.emit_group_block(b); });
        }
        void operator()(const ir::for_statement& s) {
            e.emit_uniform_for(s, e.group_scalar(s.first), e.group_scalar(s.last), e.group_scalar(s.step), [&](const lane_value& i) {
                e.group_values_[s.induction.number] = {i};
                e.emit_group_block(s.body);
            });
        }
        void operator()(const ir::while_statement& s) {
            e.emit_uniform_while(
                [&] {
                    e.emit_group_block(s.head);
                    return e.group_scalar(s.condition);
                },
                [&] { e.emit_group_block(s.body); });
        }
        void operator()(const ir::switch_statement& s) {
            e.emit_uniform_switch(s, e.group_scalar(s.selector), [&](ir::block_id b) { e.emit_group_block(b); });
        }
        void operator()(const ir::break_statement&) { e.b_.CreateBr(e.frames_.back().break_to); }
        void operator()(const ir::continue_statement&) { e.b_.CreateBr(e.frames_.back().continue_to); }
        void operator()(const ir::return_statement&) { e.b_.CreateBr(e.return_to_); }
        void operator()(const ir::barrier&) {}  // the loop over lanes before it has ended
        void operator()(const ir::fence& s) { e.emit_fence(s); }
        void operator()(const ir::assume& s) { e.emit_assume(s); }
    };
    const ir::block& block = module_[b];
    if (i < block.locations.size()) set_location(block.locations[i]);
    std::visit(visitor{*this}, block.statements[i]);
}

/// A workgroup-uniform value outside the loops over lanes; lane 0 of vector 0 speaks for the group.
llvm::Value* emitter::group_scalar(ir::value_id v) { return scalar(operand(v)[0]); }

void emitter::emit_region(ir::block_id b, std::span<const std::size_t> which) {
    const std::uint32_t full = workgroup_invocations() / lanes_, rest = workgroup_invocations() % lanes_;
    llvm::Value* group_vector = at().vector;
    const auto run = [&](std::uint32_t from, std::uint32_t to, std::uint32_t at_once) {
        if (to - from == at_once) {
            at().vector = b_.getInt32(from);
            emit_lanes(b, which, at_once, nullptr);
        } else if (from < to) {
            count_loop(b_.getInt32(from), b_.getInt32(to), at_once, "vectors", [&](llvm::Value* v) {
                at().vector = v;
                emit_lanes(b, which, at_once, nullptr);
            });
        }
    };
    const std::uint32_t packed = full / pack_ * pack_;
    run(0, packed, pack_);
    run(packed, full, 1);
    if (rest != 0) {
        at().vector = b_.getInt32(full);
        llvm::SmallVector<llvm::Constant*, 16> on;
        for (std::uint32_t i = 0; i < lanes_; ++i) on.push_back(b_.getInt1(i < rest));
        prefix_mask_ = llvm::ConstantVector::get(on);
        emit_lanes(b, which, 1, prefix_mask_);
    }
    at().vector = group_vector;
}

void emitter::begin_pack(std::uint32_t count, llvm::Value* entry_mask) {
    const position first = at();
    in_flight_ = count;
    each_vector([&] {
        vector_state& v = here();
        v.values.assign(v.values.size(), {});
        v.mask = entry_mask;
        v.not_returned = nullptr;
        if (current_ == 0) return;
        v.at = first;
        if (form_ == launch_form::range) v.at.x = b_.CreateAdd(first.x, i64(current_ * lanes_), "", true, true);
        else v.at.vector = b_.CreateAdd(first.vector, b_.getInt32(current_), "", true, true);
    });
}

void emitter::emit_lanes(ir::block_id b, std::span<const std::size_t> which, std::uint32_t count, llvm::Value* entry_mask) {
    std::vector<frame> outer_frames;
    outer_frames.swap(frames_);
    llvm::BasicBlock *outer_return = return_to_, *end = new_block("lanes.end");
    return_to_ = end;
    begin_pack(count, entry_mask);
    const bool tracks = divergence_.divergent_return || plan_.keeps_returned;
    if (tracks) each_vector([&] { here().not_returned = allocate(mask_type(), "not_returned"); });
    const auto remembered = [&] { return scratch_at(returned_scratch_, lanes_); };
    if (plan_.keeps_returned) {
        each_vector([&] {
            llvm::Value* bytes = b_.CreateAlignedLoad(vector_of(b_.getInt8Ty()), remembered(), llvm::Align(1));
            mask() = and_mask(from_memory(bytes, ir::scalar_kind::boolean));
            b_.CreateStore(mask(), here().not_returned);
        });
        llvm::BasicBlock* on = new_block("lanes");
        b_.CreateCondBr(any(all_masks()), on, end);
        continue_in(on);
    } else if (tracks) {
        each_vector([&] { b_.CreateStore(mask_or_all(), here().not_returned); });
    }

    const auto [fetched, changed] = crossing_variables(b, which);
    copy_crossing(fetched, crossing::in);
    if (plan_.synchronises) fetch_what_crosses(b, which);
    emit_statements(b, which);
    branch_to(end);
    continue_in(end);
    copy_crossing(changed, crossing::out);
    if (plan_.keeps_returned) {
        each_vector([&] {
            llvm::Value* on = b_.CreateLoad(mask_type(), here().not_returned);
            b_.CreateAlignedStore(to_memory(on, ir::scalar_kind::boolean), remembered(), llvm::Align(1));
        });
    }
    begin_pack(1, nullptr);  // what follows is the group's again
    return_to_ = outer_return;
    frames_.swap(outer_frames);
}

/// What other regions computed is fetched before the first branch, where it serves the whole region.
void emitter::fetch_what_crosses(ir::block_id b, std::span<const std::size_t> which) {
    std::unordered_set<std::uint32_t> inside;
    for (std::size_t i : which) {
        for_each_statement(module_, module_[b].statements[i], [&](const ir::statement& s) {
            if (const auto* d = std::get_if<ir::define>(&s)) inside.insert(d->value.number);
            if (const auto* f = std::get_if<ir::for_statement>(&s)) inside.insert(f->induction.number);
        });
    }
    for (std::size_t i : which) {
        for_each_use(module_, module_[b].statements[i], [&](ir::value_id v) {
            if (inside.contains(v.number) || is_leaf(module_, v) || !known(v).empty() || !group_values_[v.number].empty()) return;
            each_vector(divergence_.values[v.number], [&] { known(v) = operand(v); });
        });
    }
}

}  // namespace quern::cpu::codegen
