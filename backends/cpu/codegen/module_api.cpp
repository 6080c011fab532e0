// The one exported symbol: everything of this folder behind a C table. No exception and no abort crosses it.
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "backends/cpu/codegen/emitter.hpp"
#include "backends/cpu/codegen/flight.hpp"
#include "backends/cpu/codegen/host.hpp"
#include "backends/cpu/codegen/link.hpp"
#include "backends/cpu/codegen/machine.hpp"
#include "dsl/ir/canonical.hpp"
#include <quern/error.hpp>

namespace quern::cpu::codegen {
namespace {

constexpr std::uint32_t error_stage = 0;

/// Keeps what LLVM says instead of printing it and ending the process.
class collect_diagnostics : public llvm::DiagnosticHandler {
public:
    explicit collect_diagnostics(std::string& errors) : errors_(errors) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
        if (info.getSeverity() != llvm::DS_Error) return true;
        llvm::raw_string_ostream stream(errors_);
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info.print(printer);
        stream << '\n';
        return true;
    }

private:
    std::string& errors_;
};

bool uses(const ir::module& m, ir::scalar_kind k) {
    return std::any_of(m.types.begin(), m.types.end(), [&](const ir::type& t) { return t.scalar == k; });
}

void compile(const quern_cpu_request& request, quern_cpu_sink sink, void* context) {
    if (request.lanes != 4 && request.lanes != 8 && request.lanes != 16)
        throw compile_error("lanes must be 4, 8 or 16, not " + std::to_string(request.lanes));
    if (request.vectors > most_vectors || (request.vectors & (request.vectors - 1)) != 0)
        throw compile_error("vectors must be 1, 2 or 4, not " + std::to_string(request.vectors));
    const ir::module kernel = ir::from_bytes(std::as_bytes(std::span(request.ir, request.ir_size)));
    const auto level = request.debug ? optimisation::off : optimisation::full;
    llvm::TargetMachine& machine = machine_for(request.cpu ? request.cpu : host_cpu(), request.features ? request.features : request.cpu ? "" : host_features(), level);
    if (uses(kernel, ir::scalar_kind::f16) && !has_feature(machine, "f16c"))
        refuse(kernel, "half needs a CPU with f16c");

    std::string errors;
    llvm::LLVMContext llvm_context;
    llvm_context.setDiagnosticHandler(std::make_unique<collect_diagnostics>(errors));
    llvm::Module module("quern", llvm_context);
    module.setDataLayout(machine.createDataLayout());
    module.setTargetTriple(machine.getTargetTriple().str());
    module.setPICLevel(llvm::PICLevel::BigPIC);

    emit_options options;
    options.lanes = request.lanes;
    options.vectors = vectors_in_flight(kernel, request.lanes, vector_registers(request.lanes, machine), request.vectors);
    if (request.debug) options.vectors = 1;
    options.lines = request.debug ? debug_lines::include : debug_lines::omit;
    options.has_fma = has_feature(machine, "fma");
    options.has_byte_masks = has_feature(machine, "avx512bw");
    options.has_avx512 = has_feature(machine, "avx512f") && has_feature(machine, "avx512dq") && has_feature(machine, "avx512vl");
    options.has_rounding = has_feature(machine, "sse4.1");
    emitter(kernel, module, options).emit();
    prefer_vectors_of(module, request.lanes, machine);

    llvm::raw_string_ostream stream(errors);
    if (llvm::verifyModule(module, &stream)) {
        std::string text;
        llvm::raw_string_ostream(text) << module;
        throw internal_error("the CPU code generator made an invalid module for kernel " + kernel.name + ": " + errors + "\n" + text);
    }
    if (level == optimisation::full) optimise(module, machine);

    const auto give = [&](std::uint32_t stage, llvm::StringRef bytes) { sink(context, stage, bytes.data(), bytes.size()); };
    if (request.stages & quern_cpu_stage_llvm) {
        std::string text;
        llvm::raw_string_ostream(text) << module;
        give(quern_cpu_stage_llvm, text);
    }
    if (request.stages & quern_cpu_stage_assembly) {
        const auto copy = llvm::CloneModule(module);  // emission changes the module
        const auto text = emit_file(*copy, machine, file_kind::assembly);
        give(quern_cpu_stage_assembly, {text.data(), text.size()});
    }
    if (request.stages & quern_cpu_stage_object) {
        const auto object = emit_file(module, machine, file_kind::object);
        if (!errors.empty()) throw compile_error("LLVM, kernel " + kernel.name + ": " + errors);
        if (const std::string names = undefined_symbols({object.data(), object.size()}); !names.empty())
            throw internal_error("code for kernel " + kernel.name + " calls functions that objects may not call: " + names);
        give(quern_cpu_stage_object, {object.data(), object.size()});
    }
    if (!errors.empty()) throw compile_error("LLVM, kernel " + kernel.name + ": " + errors);
}

/// Runs `work`; what it throws goes to the sink as text. True if nothing was thrown.
template <class Work>
bool guarded(quern_cpu_sink sink, void* context, Work&& work) noexcept {
    const auto report = [&](const char* text) {
        if (sink) sink(context, error_stage, text, std::strlen(text));
    };
    try {
        work();
        return true;
    } catch (const std::exception& e) {
        report(e.what());
    } catch (...) {
        report("unknown failure in the CPU code generator");
    }
    return false;
}

const quern_cpu_codegen_api api = {
    quern_cpu_codegen_abi,
    [](quern_cpu_host* out) {
        *out = {};
        guarded(nullptr, nullptr, [&] { describe_host(*out); });
    },
    [](const quern_cpu_request* request, quern_cpu_sink sink, void* context) {
        return guarded(sink, context, [&] { compile(*request, sink, context); }) ? 0 : 1;
    },
    [](const void* object, std::size_t size, quern_cpu_entry* entry, quern_cpu_sink sink, void* context) {
        void* handle = nullptr;
        guarded(sink, context, [&] { handle = link_object(object, size, *entry); });
        return handle;
    },
    [](void* handle) { guarded(nullptr, nullptr, [&] { unlink_object(handle); }); },
};

}  // namespace
}  // namespace quern::cpu::codegen

extern "C" __attribute__((visibility("default"))) const quern_cpu_codegen_api* quern_cpu_codegen() {
    return &quern::cpu::codegen::api;
}
