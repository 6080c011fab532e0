#include "backends/cpu/codegen/emitter.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <algorithm>
#include <cstddef>

#include <quern/error.hpp>

namespace quern::cpu::codegen {

void refuse(const ir::module& m, const std::string& what) { throw compile_error("kernel " + m.name + ": " + what); }

emitter::emitter(const ir::module& m, llvm::Module& out, const emit_options& o)
    : module_(m), out_(out), context_(out.getContext()), options_(o), lanes_(o.lanes), pack_(o.vectors), form_(form_of(m)),
      divergence_(analyse_divergence(m, o.lanes, o.vectors)), plan_(plan_regions(m, form_, divergence_)),
      host_layout_(layout::host(m)), lane_layout_(layout::spread(m, o.lanes)), single_layout_(layout::spread(m, 1)),
      b_(context_), entry_(context_), buffer_bases_(m.parameters.size()), buffer_sizes_(m.parameters.size()),
      value_parameters_(m.parameters.size()), group_values_(m.values.size()), use_counts_(m.values.size()) {
    for (vector_state& each : vectors_) each.values.resize(m.values.size());
    for (const ir::statement& s : m[m.body].statements)
        for_each_use(m, s, [&](ir::value_id v) { ++use_counts_[v.number]; });
    wide_positions_ = std::any_of(m.values.begin(), m.values.end(), [&](const ir::value& v) {
        return v.op == ir::op::global_id && m[v.type].size_bytes == 8;
    });
}

quern_cpu_code emitter::emit() {
    begin_function();
    prepare_scopes();
    prepare_homes();
    if (form_ == launch_form::range) emit_range_form();
    else emit_group_form();
    b_.CreateRetVoid();
    entry_.CreateBr(&*std::next(function_->begin()));
    if (debug_) debug_->finalize();
    const quern_cpu_code code{scratch_bytes_, lanes_, form_ == launch_form::range ? 1u : 0u};
    describe_code(code);
    return code;
}

void emitter::begin_function() {
    llvm::Type *pointer = llvm::PointerType::get(context_, 0), *i64 = b_.getInt64Ty();
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, i64, i64, i64, i64, pointer}, false);
    function_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "quern_kernel", out_);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    for (unsigned i : {0u, 5u}) function_->addParamAttr(i, llvm::Attribute::NoAlias);
    function_->addParamAttr(0, llvm::Attribute::ReadOnly);
    static constexpr const char* names[] = {"launch", "first", "last", "y", "z", "scratch"};
    for (unsigned i = 0; i < 6; ++i) function_->getArg(i)->setName(names[i]);
    launch_ = function_->getArg(0);
    scratch_ = function_->getArg(5);
    at().y = function_->getArg(3);
    at().z = function_->getArg(4);
    entry_.SetInsertPoint(new_block("entry"));
    continue_in(new_block("start"));

    llvm::FastMathFlags flags;
    switch (module_.math) {
        case ir::math_mode::precise: break;
        case ir::math_mode::contract: flags.setAllowContract(); break;
        case ir::math_mode::fast:
            // not nnan and ninf: they make poison, which lanes that are off would spread
            flags.setAllowContract();
            flags.setAllowReassoc();
            flags.setAllowReciprocal();
            flags.setApproxFunc();
            flags.setNoSignedZeros();
            break;
    }
    b_.setFastMathFlags(flags);
    if (options_.lines == debug_lines::include) begin_debug_information();
}

void emitter::begin_debug_information() {
    debug_ = std::make_unique<llvm::DIBuilder>(out_);
    out_.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    out_.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
    for (const std::string& name : module_.files) {
        const std::size_t slash = name.rfind('/');
        debug_files_.push_back(slash == std::string::npos ? debug_->createFile(name, ".")
                                                          : debug_->createFile(name.substr(slash + 1), name.substr(0, slash)));
    }
    if (debug_files_.empty()) debug_files_.push_back(debug_->createFile(module_.name.empty() ? "kernel" : module_.name, "."));
    debug_->createCompileUnit(llvm::dwarf::DW_LANG_C_plus_plus_14, debug_files_[0], "quern", false, "", 0);
    const unsigned line = module_.locations.empty() ? 0 : module_.locations[0].line;
    auto* type = debug_->createSubroutineType(debug_->getOrCreateTypeArray({}));
    subprogram_ = debug_->createFunction(debug_files_[0], module_.name, "quern_kernel", debug_files_[0], line, type, line,
                                         llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
    function_->setSubprogram(subprogram_);
    b_.SetCurrentDebugLocation(llvm::DILocation::get(context_, line, 0, subprogram_));
}

void emitter::set_location(ir::location_id l) {
    if (!debug_ || l.is_none() || l.number >= module_.locations.size()) return;
    const ir::location& at = module_.locations[l.number];
    llvm::DILocalScope* scope = subprogram_;
    if (at.file && at.file.number < debug_files_.size() && debug_files_[at.file.number] != subprogram_->getFile())
        scope = debug_->createLexicalBlockFile(subprogram_, debug_files_[at.file.number]);
    b_.SetCurrentDebugLocation(llvm::DILocation::get(context_, at.line, at.column, scope));
}

void emitter::describe_code(const quern_cpu_code& code) {
    auto* type = llvm::StructType::get(context_, {b_.getInt64Ty(), b_.getInt32Ty(), b_.getInt32Ty()});
    auto* facts = llvm::ConstantStruct::get(
        type, {b_.getInt64(code.scratch_bytes), b_.getInt32(code.lanes), b_.getInt32(code.range_form)});
    auto* global = new llvm::GlobalVariable(out_, type, true, llvm::GlobalValue::PrivateLinkage, facts, "quern_code");
    global->setSection(".quern");
    llvm::appendToUsed(out_, {global});
}

llvm::Value* emitter::launch_field(std::size_t offset_bytes, llvm::Type* type) {
    auto* load = entry_.CreateLoad(type, entry_.CreateConstInBoundsGEP1_64(entry_.getInt8Ty(), launch_, offset_bytes));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    return load;
}

llvm::Value* emitter::table_entry(std::size_t table_offset_bytes, std::size_t index, llvm::Type* type) {
    llvm::Value* table = launch_field(table_offset_bytes, llvm::PointerType::get(context_, 0));
    auto* load = entry_.CreateLoad(type, entry_.CreateConstInBoundsGEP1_64(type, table, index));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    return load;
}

namespace {

/// Number of a buffer among the buffers.
std::size_t buffer_number(const ir::module& m, std::uint32_t parameter) {
    return static_cast<std::size_t>(std::count_if(m.parameters.begin(), m.parameters.begin() + parameter, [](const ir::parameter& p) {
        return p.kind == ir::parameter_kind::buffer;
    }));
}

}  // namespace

llvm::Value* emitter::buffer_base(std::uint32_t parameter) {
    llvm::Value*& known = buffer_bases_[parameter];
    if (!known)
        known = table_entry(offsetof(quern_cpu_launch, buffers), buffer_number(module_, parameter), llvm::PointerType::get(context_, 0));
    return known;
}

llvm::Value* emitter::buffer_size(std::uint32_t parameter) {
    llvm::Value*& known = buffer_sizes_[parameter];
    if (!known) known = table_entry(offsetof(quern_cpu_launch, sizes), buffer_number(module_, parameter), b_.getInt64Ty());
    return known;
}

components& emitter::value_parameter(std::uint32_t parameter) {
    components& known = value_parameters_[parameter];
    if (!known.empty()) return known;
    std::uint64_t offset = 0;
    for (std::uint32_t i = 0;; ++i) {
        const ir::parameter& p = module_.parameters[i];
        if (p.kind != ir::parameter_kind::value) continue;
        const ir::type& type = module_[p.type];
        offset = (offset + type.alignment_bytes - 1) / type.alignment_bytes * type.alignment_bytes;
        if (i == parameter) break;
        offset += type.size_bytes;
    }
    llvm::Value* block = launch_field(offsetof(quern_cpu_launch, values), llvm::PointerType::get(context_, 0));
    for (const leaf& l : host_layout_.leaves(module_.parameters[parameter].type)) {
        llvm::Value* at = entry_.CreateConstInBoundsGEP1_64(entry_.getInt8Ty(), block, offset + l.offset_bytes);
        llvm::LoadInst* load = entry_.CreateAlignedLoad(memory_type(l.kind), at, llvm::Align(ir::size_bytes(l.kind)));
        load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
        llvm::Value* v = load;
        if (l.kind == ir::scalar_kind::boolean) v = entry_.CreateICmpNE(load, entry_.getInt8(0));
        known.push_back(lane_value::uniform(v));
    }
    return known;
}

llvm::Type* emitter::register_type(ir::scalar_kind k) const {
    switch (k) {
        case ir::scalar_kind::none: break;
        case ir::scalar_kind::boolean: return llvm::Type::getInt1Ty(context_);
        case ir::scalar_kind::i8: case ir::scalar_kind::u8: return llvm::Type::getInt8Ty(context_);
        case ir::scalar_kind::i16: case ir::scalar_kind::u16: return llvm::Type::getInt16Ty(context_);
        case ir::scalar_kind::i32: case ir::scalar_kind::u32: return llvm::Type::getInt32Ty(context_);
        case ir::scalar_kind::i64: case ir::scalar_kind::u64: return llvm::Type::getInt64Ty(context_);
        case ir::scalar_kind::f16: return llvm::Type::getHalfTy(context_);
        // its bits: LLVM would call a function to round where the machine cannot
        case ir::scalar_kind::bf16: return llvm::Type::getInt16Ty(context_);
        case ir::scalar_kind::f32: return llvm::Type::getFloatTy(context_);
        case ir::scalar_kind::f64: return llvm::Type::getDoubleTy(context_);
    }
    refuse(module_, "a value has no type");
}

llvm::Type* emitter::memory_type(ir::scalar_kind k) const {
    return k == ir::scalar_kind::boolean ? llvm::Type::getInt8Ty(context_) : register_type(k);
}

llvm::Constant* emitter::lane_numbers(llvm::Type* type, std::int64_t stride) const {
    llvm::SmallVector<llvm::Constant*, 16> each;
    for (std::uint32_t i = 0; i < lanes_; ++i)
        each.push_back(llvm::ConstantInt::get(type, static_cast<std::uint64_t>(stride) * i, true));
    return llvm::ConstantVector::get(each);
}

llvm::AllocaInst* emitter::allocate(llvm::Type* type, const llvm::Twine& name) {
    auto* a = entry_.CreateAlloca(type, nullptr, name);
    a->setAlignment(llvm::Align(64));
    return a;
}

llvm::Value* emitter::vector(const lane_value& v) {
    switch (v.shape) {
        case shape::uniform: return splat(v.value);
        case shape::affine: return b_.CreateAdd(splat(v.value), lane_numbers(v.value->getType(), v.stride));
        case shape::varying: return v.value;
    }
    return nullptr;
}

llvm::Value* emitter::scalar(const lane_value& v) {
    if (v.is_uniform()) return v.value;
    return lane(vector(v), mask() ? first_lane(mask()) : b_.getInt32(0));
}

void emitter::count_loop(llvm::Value* first, llvm::Value* last, std::uint64_t step, const llvm::Twine& name,
                         const std::function<void(llvm::Value*)>& body) {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = new_block(name), *end = new_block(name + ".end");
    b_.CreateCondBr(b_.CreateICmpULT(first, last), loop, end);
    continue_in(loop);
    llvm::PHINode* i = b_.CreatePHI(first->getType(), 2);
    i->addIncoming(first, before);
    body(i);
    llvm::Value* next = b_.CreateAdd(i, llvm::ConstantInt::get(first->getType(), step), "", true, false);
    i->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpULT(next, last), loop, end);
    continue_in(end);
}

void emitter::emit_range_form() {
    llvm::Value *first = function_->getArg(1), *last = function_->getArg(2);
    std::vector<std::size_t> all(module_[module_.body].statements.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    at().vector = b_.getInt32(0);

    const std::uint32_t step = pack_ * lanes_;
    llvm::Value* full_end = b_.CreateSub(last, b_.CreateAnd(b_.CreateSub(last, first), i64(step - 1)), "full_end");
    count_loop(first, full_end, step, "packs", [&](llvm::Value* x) {
        at().x = x;
        emit_lanes(module_.body, all, pack_, nullptr);
    });
    const auto emit_tail = [&](llvm::Value* x) {
        at().x = x;
        llvm::Value* rest = b_.CreateTrunc(b_.CreateSub(last, x), b_.getInt32Ty());  // less than a pack
        prefix_mask_ = b_.CreateICmpULT(lane_numbers(b_.getInt32Ty(), 1), splat(rest));
        emit_lanes(module_.body, all, 1, prefix_mask_);
    };
    if (pack_ > 1) return count_loop(full_end, last, lanes_, "tail", emit_tail);
    llvm::BasicBlock *tail = new_block("tail"), *end = new_block("end");
    b_.CreateCondBr(b_.CreateICmpULT(full_end, last), tail, end);
    continue_in(tail);
    emit_tail(full_end);
    branch_to(end);
    continue_in(end);
}

}  // namespace quern::cpu::codegen
