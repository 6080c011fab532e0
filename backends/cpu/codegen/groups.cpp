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
        at_.x = x;
        at_.vector = b_.getInt32(0);
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
    llvm::Value* group_vector = at_.vector;
    if (full == 1) {
        emit_lanes(b, which, nullptr);
    } else if (full > 1) {
        count_loop(b_.getInt32(0), b_.getInt32(full), 1, "vectors", [&](llvm::Value* v) {
            at_.vector = v;
            emit_lanes(b, which, nullptr);
        });
    }
    if (rest != 0) {
        at_.vector = b_.getInt32(full);
        llvm::SmallVector<llvm::Constant*, 16> on;
        for (std::uint32_t i = 0; i < lanes_; ++i) on.push_back(b_.getInt1(i < rest));
        prefix_mask_ = llvm::ConstantVector::get(on);
        emit_lanes(b, which, prefix_mask_);
    }
    at_.vector = group_vector;
}

void emitter::emit_lanes(ir::block_id b, std::span<const std::size_t> which, llvm::Value* entry_mask) {
    values_.assign(values_.size(), {});
    std::vector<frame> outer_frames;
    outer_frames.swap(frames_);
    llvm::BasicBlock *outer_return = return_to_, *end = new_block("lanes.end");
    return_to_ = end;
    mask_ = entry_mask;
    const bool tracks = divergence_.divergent_return || plan_.keeps_returned;
    not_returned_ = tracks ? allocate(mask_type(), "not_returned") : nullptr;
    const auto remembered = [&] { return scratch_at(returned_scratch_, lanes_); };
    if (plan_.keeps_returned) {
        llvm::Value* bytes = b_.CreateAlignedLoad(vector_of(b_.getInt8Ty()), remembered(), llvm::Align(1));
        mask_ = and_mask(from_memory(bytes, ir::scalar_kind::boolean));
        b_.CreateStore(mask_, not_returned_);
        llvm::BasicBlock* on = new_block("lanes");
        b_.CreateCondBr(any(mask_), on, end);
        continue_in(on);
    } else if (tracks) {
        b_.CreateStore(mask_or_all(), not_returned_);
    }

    if (plan_.synchronises) {
        // what other regions computed is fetched before the first branch, where it serves the whole region
        std::unordered_set<std::uint32_t> inside;
        for (std::size_t i : which) {
            for_each_statement(module_, module_[b].statements[i], [&](const ir::statement& s) {
                if (const auto* d = std::get_if<ir::define>(&s)) inside.insert(d->value.number);
                if (const auto* f = std::get_if<ir::for_statement>(&s)) inside.insert(f->induction.number);
            });
        }
        for (std::size_t i : which) {
            for_each_use(module_, module_[b].statements[i], [&](ir::value_id v) {
                if (inside.contains(v.number) || is_leaf(module_, v) || !values_[v.number].empty() || !group_values_[v.number].empty()) return;
                values_[v.number] = operand(v);
            });
        }
    }
    emit_statements(b, which);
    branch_to(end);
    continue_in(end);
    if (plan_.keeps_returned) {
        llvm::Value* on = b_.CreateLoad(mask_type(), not_returned_);
        b_.CreateAlignedStore(to_memory(on, ir::scalar_kind::boolean), remembered(), llvm::Align(1));
    }
    values_.assign(values_.size(), {});
    mask_ = nullptr;
    not_returned_ = nullptr;
    return_to_ = outer_return;
    frames_.swap(outer_frames);
}

}  // namespace quern::cpu::codegen
