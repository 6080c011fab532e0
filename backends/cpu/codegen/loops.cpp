// Loops within a loop over lanes, and the ways out of them: branches where lanes agree, masks where they do not.
#include <llvm/IR/CFG.h>

#include <algorithm>

#include "backends/cpu/codegen/emitter.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::cpu::codegen {
namespace {

/// A break or return inside, of whichever loop: even if all lanes of an iteration take it together, none may be left.
bool may_leave(const ir::module& m, ir::block_id b) {
    return std::ranges::any_of(m[b].statements, [&](const ir::statement& s) {
        bool leaves = std::holds_alternative<ir::break_statement>(s) || std::holds_alternative<ir::return_statement>(s);
        ir::for_each_block(m, s, [&](ir::block_id inner) { leaves = leaves || may_leave(m, inner); });
        return leaves;
    });
}

}  // namespace

/// for with one induction for all lanes. Counts down the trips, so that the induction may step past its type's end.
void emitter::emit_uniform_for(const ir::for_statement& s, llvm::Value* first, llvm::Value* last, llvm::Value* step,
                               const std::function<void(const lane_value&)>& body) {
    llvm::Type* type = first->getType();
    const bool is_signed = ir::is_signed_integer(scalar_of(s.induction));
    const auto below = [&](llvm::Value* a, llvm::Value* b) { return is_signed ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b); };
    llvm::Value* one = llvm::ConstantInt::get(type, 1);
    const auto* constant_step = llvm::dyn_cast<llvm::ConstantInt>(step);
    const bool by_one = constant_step && constant_step->isOne();
    llvm::Value* trips = nullptr;
    if (!by_one) {
        llvm::Value* guarded = b_.CreateFreeze(step);
        guarded = b_.CreateSelect(b_.CreateICmpEQ(guarded, llvm::ConstantInt::get(type, 0)), one, guarded);
        trips = b_.CreateAdd(b_.CreateUDiv(b_.CreateSub(b_.CreateSub(last, first), one), guarded), one);
    }
    llvm::AllocaInst *induction = allocate(type, "induction"), *left = by_one ? nullptr : allocate(type, "trips");
    b_.CreateStore(first, induction);
    if (left) b_.CreateStore(trips, left);
    llvm::BasicBlock *loop = new_block("for"), *latch = new_block("next"), *end = new_block("endfor");
    llvm::Value* mask = mask_;
    b_.CreateCondBr(below(first, last), loop, end);

    continue_in(loop);
    frames_.push_back({end, latch, nullptr, nullptr});
    body(lane_value::uniform(b_.CreateLoad(type, induction)));
    frames_.pop_back();
    mask_ = mask;
    branch_to(latch);

    continue_in(latch);
    if (llvm::pred_empty(latch)) {
        b_.CreateUnreachable();
    } else {
        llvm::Value* next = b_.CreateAdd(b_.CreateLoad(type, induction), step);
        b_.CreateStore(next, induction);
        llvm::Value* more = nullptr;
        if (by_one) {
            more = below(next, last);
        } else {
            llvm::Value* n = b_.CreateSub(b_.CreateLoad(type, left), one);
            b_.CreateStore(n, left);
            more = b_.CreateICmpNE(n, llvm::ConstantInt::get(type, 0));
        }
        b_.CreateCondBr(more, loop, end);
    }
    continue_if_entered(end);
}

/// for whose lanes stop at different times, or start at different numbers.
void emitter::emit_divergent_for(const ir::for_statement& s) {
    const lane_value first = operand(s.first)[0], last = operand(s.last)[0], step = operand(s.step)[0];
    const bool is_signed = ir::is_signed_integer(scalar_of(s.induction));
    const bool scalar_induction = first.shape != shape::varying && step.is_uniform();
    llvm::Value* from = scalar_induction ? first.value : vector(first);
    llvm::Value* by = scalar_induction ? step.value : vector(step);
    llvm::Value* to = vector(last);
    llvm::AllocaInst* induction = allocate(from->getType(), "induction");
    b_.CreateStore(from, induction);
    const auto current = [&] {
        llvm::Value* i = b_.CreateLoad(from->getType(), induction);
        return scalar_induction ? lane_value::affine(i, first.stride) : lane_value::varying(i);
    };
    const frame f{new_block("endfor"), new_block("next"), allocate(mask_type(), "looping"), allocate(mask_type(), "active")};
    llvm::Value* start = vector(first);
    b_.CreateStore(and_mask(is_signed ? b_.CreateICmpSLT(start, to) : b_.CreateICmpULT(start, to)), f.looping);
    llvm::BasicBlock *head = new_block("for"), *body = new_block("body");
    llvm::Value* mask = mask_;
    b_.CreateBr(head);

    continue_in(head);
    llvm::Value* looping = b_.CreateLoad(mask_type(), f.looping);
    b_.CreateCondBr(any(looping), body, f.break_to);

    continue_in(body);
    b_.CreateStore(looping, f.active);
    mask_ = looping;
    values_[s.induction.number] = {current()};
    frames_.push_back(f);
    emit_block(s.body);
    frames_.pop_back();
    branch_to(f.continue_to);

    continue_in(f.continue_to);
    if (llvm::pred_empty(f.continue_to)) {
        b_.CreateUnreachable();
    } else {
        // what is left is positive for every lane that loops, so that no comparison wraps
        llvm::Value* more = b_.CreateICmpUGT(b_.CreateSub(to, vector(current())), vector(step));
        b_.CreateStore(b_.CreateAnd(b_.CreateLoad(mask_type(), f.looping), more), f.looping);
        b_.CreateStore(b_.CreateAdd(b_.CreateLoad(from->getType(), induction), by), induction);
        b_.CreateBr(head);
    }
    mask_ = mask;
    continue_in(f.break_to);
}

void emitter::emit_for(const ir::for_statement& s, const statement_facts& facts) {
    const std::size_t leaves = leaves_, returns = returns_;
    if (facts.loop == level::lane || facts.loop_returns == level::lane) {
        emit_divergent_for(s);
    } else {
        llvm::Value *first = scalar(operand(s.first)[0]), *last = scalar(operand(s.last)[0]), *step = scalar(operand(s.step)[0]);
        emit_uniform_for(s, first, last, step, [&](const lane_value& i) {
            values_[s.induction.number] = {i};
            emit_block(s.body);
        });
    }
    leaves_ = returns_ != returns ? leaves_ : leaves;  // breaks and continues end with the loop
}

void emitter::emit_uniform_while(const std::function<llvm::Value*()>& head, const std::function<void()>& body) {
    llvm::BasicBlock *test = new_block("while"), *inside = new_block("body"), *end = new_block("endwhile");
    llvm::Value* mask = mask_;
    b_.CreateBr(test);
    continue_in(test);
    frames_.push_back({end, test, nullptr, nullptr});
    b_.CreateCondBr(head(), inside, end);
    continue_in(inside);
    body();
    frames_.pop_back();
    mask_ = mask;
    branch_to(test);
    continue_in(end);
}

void emitter::emit_divergent_while(const ir::while_statement& s) {
    const bool lanes_leave = may_leave(module_, s.body);
    const frame f{new_block("endwhile"), new_block("while"), allocate(mask_type(), "looping"), allocate(mask_type(), "active")};
    llvm::Value* mask = mask_;
    b_.CreateStore(mask_or_all(), f.looping);
    b_.CreateBr(f.continue_to);

    continue_in(f.continue_to);
    llvm::Value* looping = b_.CreateLoad(mask_type(), f.looping);
    if (lanes_leave) {
        llvm::BasicBlock* on = new_block("head");
        b_.CreateCondBr(any(looping), on, f.break_to);
        continue_in(on);
    }
    mask_ = looping;
    b_.CreateStore(looping, f.active);
    frames_.push_back(f);
    emit_block(s.head);
    const lane_value condition = operand(s.condition)[0];
    llvm::BasicBlock* body = new_block("body");
    if (condition.is_uniform()) {
        b_.CreateCondBr(condition.value, body, f.break_to);
    } else {
        mask_ = b_.CreateAnd(looping, vector(condition));
        b_.CreateStore(mask_, f.looping);
        b_.CreateStore(mask_, f.active);
        b_.CreateCondBr(any(mask_), body, f.break_to);
    }
    continue_in(body);
    emit_block(s.body);
    frames_.pop_back();
    branch_to(f.continue_to);
    mask_ = mask;
    continue_in(f.break_to);
}

void emitter::emit_while(const ir::while_statement& s, const statement_facts& facts) {
    const std::size_t leaves = leaves_, returns = returns_;
    if (facts.loop == level::lane || facts.loop_returns == level::lane) {
        emit_divergent_while(s);
    } else {
        emit_uniform_while(
            [&] {
                emit_block(s.head);
                return scalar(operand(s.condition)[0]);
            },
            [&] { emit_block(s.body); });
    }
    leaves_ = returns_ != returns ? leaves_ : leaves;
}

/// break (also_loop) or continue.
void emitter::leave_iteration(const statement_facts& facts, bool also_loop) {
    const frame& f = frames_.back();
    if (!f.active) {
        b_.CreateBr(also_loop ? f.break_to : f.continue_to);
        return;
    }
    static_cast<void>(facts);  // lanes that went on to the next iteration may wait for these: masks even if all leave
    llvm::Value* lanes = mask_or_all();
    remove_lanes(f.active, lanes);
    if (also_loop) remove_lanes(f.looping, lanes);
    ++leaves_;
}

void emitter::emit_return(const statement_facts& facts) {
    if (!not_returned_) {
        b_.CreateBr(return_to_);
        return;
    }
    llvm::Value* lanes = mask_or_all();
    remove_lanes(not_returned_, lanes);
    if (facts.control != level::lane) {
        b_.CreateBr(return_to_);
        return;
    }
    for (const frame& f : frames_) {
        if (f.active) remove_lanes(f.active, lanes);
        if (f.looping) remove_lanes(f.looping, lanes);
    }
    ++leaves_;
    ++returns_;
}

}  // namespace quern::cpu::codegen
