// Control flow within a loop over lanes: branches where lanes agree, masks where they do not.
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

llvm::Value* emitter::mask_bits(llvm::Value* mask) { return b_.CreateBitCast(mask, b_.getIntNTy(lanes_)); }

llvm::Value* emitter::any(llvm::Value* mask) {
    return b_.CreateICmpNE(mask_bits(mask), llvm::ConstantInt::get(b_.getIntNTy(lanes_), 0));
}

llvm::Value* emitter::first_lane(llvm::Value* mask) {
    if (mask == prefix_mask_) return b_.getInt32(0);
    return b_.CreateZExt(intrinsic(llvm::Intrinsic::cttz, {mask_bits(mask), b_.getTrue()}), b_.getInt32Ty());
}

llvm::Value* emitter::last_lane(llvm::Value* mask) {
    llvm::Value* leading = b_.CreateZExt(intrinsic(llvm::Intrinsic::ctlz, {mask_bits(mask), b_.getTrue()}), b_.getInt32Ty());
    return b_.CreateSub(b_.getInt32(lanes_ - 1), leading);
}

void emitter::remove_lanes(llvm::AllocaInst* from, llvm::Value* lanes) {
    b_.CreateStore(b_.CreateAnd(b_.CreateLoad(mask_type(), from), b_.CreateNot(lanes)), from);
}

void emitter::continue_if_entered(llvm::BasicBlock* block) {
    continue_in(block);
    if (llvm::pred_empty(block)) b_.CreateUnreachable();
}

void emitter::emit_block(ir::block_id b) {
    if (b.is_none()) return;
    std::vector<std::size_t> all(module_[b].statements.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    emit_statements(b, all);
}

/// After lanes left: goes on with those that stay, past the rest of the block if there are none.
void emitter::keep_what_is_on(llvm::BasicBlock*& skip) {
    llvm::AllocaInst* active = not_returned_;
    for (const frame& f : frames_)
        if (f.active) active = f.active;
    mask_ = and_mask(b_.CreateLoad(mask_type(), active));
    if (!skip) skip = new_block("skip");
    llvm::BasicBlock* rest = new_block("rest");
    b_.CreateCondBr(any(mask_), rest, skip);
    continue_in(rest);
}

void emitter::emit_statements(ir::block_id b, std::span<const std::size_t> which) {
    llvm::BasicBlock* skip = nullptr;
    for (std::size_t n = 0; n < which.size() && reachable(); ++n) {
        const ir::statement& s = module_[b].statements[which[n]];
        const std::size_t leaves = leaves_;
        emit_statement(b, which[n]);
        if (std::holds_alternative<ir::break_statement>(s) || std::holds_alternative<ir::continue_statement>(s) ||
            std::holds_alternative<ir::return_statement>(s))
            break;
        if (leaves_ != leaves && reachable() && n + 1 < which.size()) keep_what_is_on(skip);
    }
    if (!skip) return;
    branch_to(skip);
    continue_in(skip);
}

void emitter::emit_statement(ir::block_id b, std::size_t i) {
    struct visitor {
        emitter& e;
        const statement_facts& facts;

        void operator()(const ir::define& s) { e.define(s.value); }
        void operator()(const ir::declare& s) { e.declare(s.variable); }
        void operator()(const ir::store& s) { e.emit_store(s, facts); }
        void operator()(const ir::if_statement& s) { e.emit_if(s); }
        void operator()(const ir::for_statement& s) { e.emit_for(s, facts); }
        void operator()(const ir::while_statement& s) { e.emit_while(s, facts); }
        void operator()(const ir::switch_statement& s) { e.emit_switch(s); }
        void operator()(const ir::break_statement&) { e.leave_iteration(facts, true); }
        void operator()(const ir::continue_statement&) { e.leave_iteration(facts, false); }
        void operator()(const ir::return_statement&) { e.emit_return(facts); }
        void operator()(const ir::barrier&) {}  // one at group level splits regions; elsewhere a lane waits for none
        void operator()(const ir::fence& s) { e.emit_fence(s); }
        void operator()(const ir::assume& s) { e.emit_assume(s); }
    };
    const ir::block& block = module_[b];
    if (i < block.locations.size()) set_location(block.locations[i]);
    std::visit(visitor{*this, divergence_.at(b, i)}, block.statements[i]);
}

void emitter::emit_uniform_if(const ir::if_statement& s, llvm::Value* condition, const std::function<void(ir::block_id)>& body) {
    llvm::BasicBlock *then = new_block("then"), *end = new_block("endif");
    llvm::BasicBlock* otherwise = s.else_block ? new_block("else") : end;
    llvm::Value* mask = mask_;
    b_.CreateCondBr(condition, then, otherwise);
    continue_in(then);
    body(s.then_block);
    branch_to(end);
    mask_ = mask;
    if (s.else_block) {
        continue_in(otherwise);
        body(s.else_block);
        branch_to(end);
        mask_ = mask;
    }
    continue_if_entered(end);
}

void emitter::emit_masked_block(ir::block_id b, llvm::Value* mask, llvm::BasicBlock* after) {
    llvm::Value* outer = mask_;
    llvm::BasicBlock* inside = new_block("masked");
    b_.CreateCondBr(any(mask), inside, after);
    continue_in(inside);
    mask_ = mask;
    emit_block(b);
    mask_ = outer;
    branch_to(after);
    continue_in(after);
}

void emitter::emit_if(const ir::if_statement& s) {
    const lane_value condition = operand(s.condition)[0];
    if (condition.is_uniform() || divergence_.values[s.condition.number] != level::lane)
        return emit_uniform_if(s, scalar(condition), [&](ir::block_id b) { emit_block(b); });
    llvm::Value* c = vector(condition);
    llvm::Value* otherwise = s.else_block ? and_mask(b_.CreateNot(c)) : nullptr;
    emit_masked_block(s.then_block, and_mask(c), new_block("endthen"));
    if (otherwise) emit_masked_block(s.else_block, otherwise, new_block("endif"));
}

void emitter::emit_uniform_switch(const ir::switch_statement& s, llvm::Value* selector, const std::function<void(ir::block_id)>& body) {
    llvm::BasicBlock *end = new_block("endswitch"), *otherwise = s.default_block ? new_block("default") : end;
    llvm::SwitchInst* branch = b_.CreateSwitch(selector, otherwise);
    llvm::Value* mask = mask_;
    const auto emit_case = [&](llvm::BasicBlock* block, ir::block_id b) {
        continue_in(block);
        body(b);
        branch_to(end);
        mask_ = mask;
    };
    for (const ir::switch_case& each : module_.cases_of(s)) {
        llvm::BasicBlock* block = new_block("case");
        branch->addCase(llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(selector->getType(), each.literal)), block);
        emit_case(block, each.body);
    }
    if (s.default_block) emit_case(otherwise, s.default_block);
    continue_if_entered(end);
}

void emitter::emit_switch(const ir::switch_statement& s) {
    const lane_value selector = operand(s.selector)[0];
    if (selector.is_uniform() || divergence_.values[s.selector.number] != level::lane)
        return emit_uniform_switch(s, scalar(selector), [&](ir::block_id b) { emit_block(b); });
    llvm::Value* v = vector(selector);
    // all masks first: a case may not change what the others see
    llvm::SmallVector<llvm::Value*, 8> hits;
    llvm::Value* rest = mask_or_all();
    for (const ir::switch_case& each : module_.cases_of(s)) {
        llvm::Value* hit = b_.CreateICmpEQ(v, splat(llvm::ConstantInt::get(v->getType()->getScalarType(), each.literal)));
        hits.push_back(and_mask(hit));
        rest = b_.CreateAnd(rest, b_.CreateNot(hit));
    }
    std::size_t n = 0;
    for (const ir::switch_case& each : module_.cases_of(s)) emit_masked_block(each.body, hits[n++], new_block("endcase"));
    if (s.default_block) emit_masked_block(s.default_block, rest, new_block("endswitch"));
}

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

void emitter::emit_assume(const ir::assume& s) {
    const lane_value condition = operand(s.condition)[0];
    if (condition.is_uniform()) b_.CreateAssumption(condition.value);
}

void emitter::emit_fence(const ir::fence& s) {
    // within a workgroup one thread runs all lanes in order
    if (s.scope == ir::scope::device) b_.CreateFence(llvm::AtomicOrdering::AcquireRelease);
}

}  // namespace quern::cpu::codegen
