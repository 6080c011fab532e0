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
    const masks before = all_masks();
    b_.CreateCondBr(below(first, last), loop, end);

    continue_in(loop);
    frames_.push_back({end, latch});
    body(lane_value::uniform(b_.CreateLoad(type, induction)));
    frames_.pop_back();
    set_masks(before);
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

emitter::frame emitter::masked_frame(const llvm::Twine& break_to, const llvm::Twine& continue_to) {
    frame f{new_block(break_to), new_block(continue_to)};
    each_vector([&] {
        f.looping[current_] = allocate(mask_type(), "looping");
        f.active[current_] = allocate(mask_type(), "active");
    });
    return f;
}

/// for whose lanes stop at different times, or start at different numbers.
void emitter::emit_divergent_for(const ir::for_statement& s) {
    const std::vector<lane_value> first = operand_of_each(s.first), last = operand_of_each(s.last), step = operand_of_each(s.step);
    const bool is_signed = ir::is_signed_integer(scalar_of(s.induction));
    const level agreed = divergence_.values[s.induction.number];
    const auto scalar_induction = [&] { return first[current_].shape != shape::varying && step[current_].is_uniform(); };
    const auto kept = [&](const lane_value& v) { return scalar_induction() ? v.value : vector(v); };
    frame::by_vector induction{};
    each_vector(agreed, [&] {
        llvm::Value* from = kept(first[current_]);
        induction[current_] = allocate(from->getType(), "induction");
        b_.CreateStore(from, induction[current_]);
    });
    const auto number = [&] { return agreed <= level::pack ? 0 : current_; };
    const auto current = [&] {
        llvm::AllocaInst* home = induction[number()];
        llvm::Value* i = b_.CreateLoad(home->getAllocatedType(), home);
        return scalar_induction() ? lane_value::affine(i, first[current_].stride) : lane_value::varying(i);
    };
    const frame f = masked_frame("endfor", "next");
    masks to;
    each_vector([&] {
        to.push_back(vector(last[current_]));
        llvm::Value* start = vector(first[current_]);
        b_.CreateStore(and_mask(is_signed ? b_.CreateICmpSLT(start, to[current_]) : b_.CreateICmpULT(start, to[current_])), f.looping[current_]);
    });
    llvm::BasicBlock *head = new_block("for"), *body = new_block("body");
    const masks before = all_masks();
    b_.CreateBr(head);

    continue_in(head);
    begin_iteration(f);
    b_.CreateCondBr(any(all_masks()), body, f.break_to);

    continue_in(body);
    each_vector(agreed, [&] { known(s.induction) = {current()}; });
    frames_.push_back(f);
    emit_block(s.body);
    frames_.pop_back();
    branch_to(f.continue_to);

    continue_in(f.continue_to);
    if (llvm::pred_empty(f.continue_to)) {
        b_.CreateUnreachable();
    } else {
        each_vector([&] {
            // what is left is positive for every lane that loops, so that no comparison wraps
            llvm::Value* more = b_.CreateICmpUGT(b_.CreateSub(to[current_], vector(current())), vector(step[current_]));
            b_.CreateStore(b_.CreateAnd(b_.CreateLoad(mask_type(), f.looping[current_]), more), f.looping[current_]);
        });
        each_vector(agreed, [&] {
            llvm::AllocaInst* home = induction[current_];
            b_.CreateStore(b_.CreateAdd(b_.CreateLoad(home->getAllocatedType(), home), kept(step[current_])), home);
        });
        b_.CreateBr(head);
    }
    set_masks(before);
    continue_in(f.break_to);
}

void emitter::emit_for(const ir::for_statement& s, const statement_facts& facts) {
    const std::size_t leaves = leaves_, returns = returns_;
    if (splits_pack(facts.loop) || splits_pack(facts.loop_returns)) {
        emit_divergent_for(s);
    } else {
        llvm::Value *first = scalar(operand(s.first)[0]), *last = scalar(operand(s.last)[0]), *step = scalar(operand(s.step)[0]);
        emit_uniform_for(s, first, last, step, [&](const lane_value& i) {
            known(s.induction) = {i};
            emit_block(s.body);
        });
    }
    leaves_ = returns_ != returns ? leaves_ : leaves;  // breaks and continues end with the loop
}

void emitter::emit_uniform_while(const std::function<llvm::Value*()>& head, const std::function<void()>& body) {
    llvm::BasicBlock *test = new_block("while"), *inside = new_block("body"), *end = new_block("endwhile");
    const masks before = all_masks();
    b_.CreateBr(test);
    continue_in(test);
    frames_.push_back({end, test});
    b_.CreateCondBr(head(), inside, end);
    continue_in(inside);
    body();
    frames_.pop_back();
    set_masks(before);
    branch_to(test);
    continue_in(end);
}

/// The lanes that begin an iteration are on.
void emitter::begin_iteration(const frame& f) {
    each_vector([&] {
        mask() = b_.CreateLoad(mask_type(), f.looping[current_]);
        b_.CreateStore(mask(), f.active[current_]);
    });
}

void emitter::emit_divergent_while(const ir::while_statement& s) {
    const bool lanes_leave = may_leave(module_, s.body);
    const frame f = masked_frame("endwhile", "while");
    const masks before = all_masks();
    each_vector([&] { b_.CreateStore(mask_or_all(), f.looping[current_]); });
    b_.CreateBr(f.continue_to);

    continue_in(f.continue_to);
    begin_iteration(f);
    const masks looping = all_masks();
    if (lanes_leave) {
        llvm::BasicBlock* on = new_block("head");
        b_.CreateCondBr(any(looping), on, f.break_to);
        continue_in(on);
    }
    frames_.push_back(f);
    emit_block(s.head);
    const std::vector<lane_value> condition = operand_of_each(s.condition);
    llvm::BasicBlock* body = new_block("body");
    if (llvm::Value* shared = shared_scalar(s.condition, condition)) {
        b_.CreateCondBr(shared, body, f.break_to);
    } else {
        each_vector([&] {
            mask() = b_.CreateAnd(looping[current_], vector(condition[current_]));
            b_.CreateStore(mask(), f.looping[current_]);
            b_.CreateStore(mask(), f.active[current_]);
        });
        b_.CreateCondBr(any(all_masks()), body, f.break_to);
    }
    continue_in(body);
    emit_block(s.body);
    frames_.pop_back();
    branch_to(f.continue_to);
    set_masks(before);
    continue_in(f.break_to);
}

void emitter::emit_while(const ir::while_statement& s, const statement_facts& facts) {
    const std::size_t leaves = leaves_, returns = returns_;
    if (splits_pack(facts.loop) || splits_pack(facts.loop_returns)) {
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
void emitter::leave_iteration(bool also_loop) {
    const frame& f = frames_.back();
    if (!f.masked()) {
        b_.CreateBr(also_loop ? f.break_to : f.continue_to);
        return;
    }
    // lanes that went on to the next iteration may wait for these: masks even if all leave
    each_vector([&] {
        llvm::Value* lanes = mask_or_all();
        remove_lanes(f.active[current_], lanes);
        if (also_loop) remove_lanes(f.looping[current_], lanes);
    });
    ++leaves_;
}

void emitter::emit_return(const statement_facts& facts) {
    if (!here().not_returned) {
        b_.CreateBr(return_to_);
        return;
    }
    each_vector([&] { remove_lanes(here().not_returned, mask_or_all()); });
    if (!splits_pack(facts.control)) {
        b_.CreateBr(return_to_);
        return;
    }
    for (const frame& f : frames_) {
        if (!f.masked()) continue;
        each_vector([&] {
            remove_lanes(f.active[current_], mask_or_all());
            remove_lanes(f.looping[current_], mask_or_all());
        });
    }
    ++leaves_;
    ++returns_;
}

}  // namespace quern::cpu::codegen
