#include "backends/cpu/codegen/machine.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <mutex>

#include <quern/error.hpp>

namespace quern::cpu::codegen {
namespace {

constexpr const char* triple = "x86_64-unknown-linux-gnu";

void initialise_once() {
    static std::once_flag once;
    std::call_once(once, [] {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
    });
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> make_machine(const std::string& cpu, const std::string& features, optimisation o) {
    initialise_once();
    std::string reason;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, reason);
    if (!target) throw compile_error("LLVM has no x86-64 target: " + reason);
    // asked first: LLVM would only print a warning and go on
    const std::unique_ptr<llvm::MCSubtargetInfo> any_cpu(target->createMCSubtargetInfo(triple, "", ""));
    if (!any_cpu || !any_cpu->isCPUStringValid(cpu)) throw compile_error("LLVM does not know the cpu " + cpu);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Standard;  // what may fuse says so itself
    std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
        triple, cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
        o == optimisation::off ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default));
    if (!machine) throw compile_error("LLVM makes no machine for cpu " + cpu);
    return machine;
}

bool has_feature(const llvm::TargetMachine& machine, const char* feature) {
    return machine.getMCSubtargetInfo()->checkFeatures(std::string("+") + feature);
}

unsigned vector_register_bits(unsigned lanes, bool has_avx512) { return std::clamp(lanes * 32, 128u, has_avx512 ? 512u : 256u); }

void prefer_vectors_of(llvm::Module& m, unsigned lanes, const llvm::TargetMachine& machine) {
    const unsigned bits = vector_register_bits(lanes, has_feature(machine, "avx512f"));
    for (llvm::Function& f : m) {
        if (f.isDeclaration()) continue;
        f.addFnAttr("target-cpu", machine.getTargetCPU());
        f.addFnAttr("target-features", machine.getTargetFeatureString());
        f.addFnAttr("prefer-vector-width", std::to_string(bits));
        f.addFnAttr("min-legal-vector-width", std::to_string(bits));
    }
}

void optimise(llvm::Module& m, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager calls;
    llvm::ModuleAnalysisManager modules;
    llvm::PipelineTuningOptions tuning;
    tuning.LoopVectorization = false;  // the code is vector code already
    tuning.SLPVectorization = false;
    tuning.LoopInterleaving = false;
    llvm::PassBuilder passes(&machine, tuning);
    // nothing to link against: no pass may call a function of its own accord
    llvm::TargetLibraryInfoImpl none{machine.getTargetTriple()};
    none.disableAllFunctions();
    functions.registerPass([&] { return llvm::TargetLibraryAnalysis(none); });
    passes.registerModuleAnalyses(modules);
    passes.registerCGSCCAnalyses(calls);
    passes.registerFunctionAnalyses(functions);
    passes.registerLoopAnalyses(loops);
    passes.crossRegisterProxies(loops, functions, calls, modules);
    passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(m, modules);
}

llvm::SmallVector<char, 0> emit_file(llvm::Module& m, llvm::TargetMachine& machine, file_kind kind) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    llvm::TargetLibraryInfoImpl none{machine.getTargetTriple()};
    none.disableAllFunctions();
    passes.add(new llvm::TargetLibraryInfoWrapperPass(none));
    const auto type = kind == file_kind::object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) throw compile_error("LLVM cannot emit for this machine");
    passes.run(m);
    return bytes;
}

std::string undefined_symbols(llvm::StringRef object) {
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "quern"));
    if (!file) throw compile_error("not an object: " + llvm::toString(file.takeError()));
    std::string names;
    for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
        auto flags = symbol.getFlags();
        if (!flags) throw compile_error("bad symbol: " + llvm::toString(flags.takeError()));
        if (!(*flags & llvm::object::SymbolRef::SF_Undefined) || (*flags & llvm::object::SymbolRef::SF_FormatSpecific)) continue;
        auto name = symbol.getName();
        if (!name) throw compile_error("bad symbol: " + llvm::toString(name.takeError()));
        if (!name->empty()) names += (names.empty() ? "" : " ") + name->str();
    }
    return names;
}

}  // namespace quern::cpu::codegen
