#include "backends/cpu/codegen/machine.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/Reassociate.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <algorithm>
#include <iterator>
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
        // Strength reduction takes an eighth of the time to compile and made no kernel faster: x86 adds addresses in its
        // loads. (Scheduling after register allocation does pay: 5 % on two kernels of ten.)
        static constexpr const char* arguments[] = {"quern", "-disable-lsr"};
        llvm::cl::ParseCommandLineOptions(static_cast<int>(std::size(arguments)), arguments);
    });
}

/// What the passes of optimise() may ask for. LLVM's PassBuilder knows everything there is, which makes the code
/// generator 8 MB larger and a third longer to load.
struct analyses {
    explicit analyses(llvm::TargetMachine& machine) {
        // nothing to link against: no pass may call a function of its own accord
        llvm::TargetLibraryInfoImpl no_library{machine.getTargetTriple()};
        no_library.disableAllFunctions();
        functions.registerPass([&] { return llvm::TargetLibraryAnalysis(no_library); });
        functions.registerPass([&] { return machine.getTargetIRAnalysis(); });
        functions.registerPass([] {
            llvm::AAManager aliases;
            aliases.registerFunctionAnalysis<llvm::BasicAA>();
            aliases.registerFunctionAnalysis<llvm::ScopedNoAliasAA>();
            return aliases;
        });
        add<llvm::AssumptionAnalysis, llvm::BasicAA, llvm::BlockFrequencyAnalysis, llvm::BranchProbabilityAnalysis,
            llvm::DominatorTreeAnalysis, llvm::LoopAnalysis, llvm::MemorySSAAnalysis,
            llvm::OptimizationRemarkEmitterAnalysis, llvm::PassInstrumentationAnalysis, llvm::PostDominatorTreeAnalysis,
            llvm::ScalarEvolutionAnalysis, llvm::ScopedNoAliasAA>(functions);
        add<llvm::PassInstrumentationAnalysis>(loops);
        add<llvm::PassInstrumentationAnalysis>(modules);
        functions.registerPass([&] { return llvm::LoopAnalysisManagerFunctionProxy(loops); });
        functions.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(modules); });
        loops.registerPass([&] { return llvm::FunctionAnalysisManagerLoopProxy(functions); });
    }

    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::ModuleAnalysisManager modules;

private:
    template <class... Analysis, class Manager>
    static void add(Manager& m) {
        (m.registerPass([] { return Analysis(); }), ...);
    }
};

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

}  // namespace

llvm::TargetMachine& machine_for(const std::string& cpu, const std::string& features, optimisation o) {
    struct kept_machine {
        std::string cpu, features;
        optimisation level{};
        std::unique_ptr<llvm::TargetMachine> machine;
    };
    static thread_local kept_machine last;
    if (!last.machine || last.cpu != cpu || last.features != features || last.level != o)
        last = {cpu, features, o, make_machine(cpu, features, o)};
    return *last.machine;
}

bool has_feature(const llvm::TargetMachine& machine, const char* feature) {
    return machine.getMCSubtargetInfo()->checkFeatures(std::string("+") + feature);
}

unsigned vector_registers(unsigned lanes, const llvm::TargetMachine& machine) {
    const bool wide = has_feature(machine, "avx512f");
    const unsigned bits = wide ? 512 : has_feature(machine, "avx2") ? 256 : 128;
    return (wide ? 32 : 16) / std::max(1u, lanes * 32 / bits);
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
    analyses a(machine);
    // The emitter writes variables through the stack, in blocks that often hold little: registers first, then what that
    // shows. Measured over ten kernels: O2's pipeline takes twice as long and makes none faster. Without what moves out
    // of loops a matrix product took 2.7 times as long, without reassociation mandelbrot 1.2 times. All are linear,
    // which GVN is not.
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::ReassociatePass());
    llvm::LoopPassManager loops;
    loops.addPass(llvm::LoopRotatePass());
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), true));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::SimplifyCFGPass());
    for (llvm::Function& f : m)
        if (!f.isDeclaration()) passes.run(f, a.functions);
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
