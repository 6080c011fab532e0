#include "backends/cpu/codegen/link.hpp"

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "backends/cpu/codegen/machine.hpp"
#include <quern/error.hpp>

namespace quern::cpu::codegen {
namespace {

template <class T>
T must(llvm::Expected<T> e) {
    if (!e) throw compile_error("LLVM ORC: " + llvm::toString(e.takeError()));
    return std::move(*e);
}

void must(llvm::Error e) {
    if (e) throw compile_error("LLVM ORC: " + llvm::toString(std::move(e)));
}

class linker {
public:
    /// Never destroyed: kernels may still run while the process takes down its statics.
    static linker& get() {
        static linker* one = new linker;
        return *one;
    }

    llvm::orc::JITDylib* link(llvm::StringRef object, quern_cpu_entry& entry) {
        const std::string name = "kernel" + std::to_string(next_++);
        llvm::orc::JITDylib& library = session_.createBareJITDylib(name);
        try {
            must(layer_.add(library, llvm::MemoryBuffer::getMemBufferCopy(object, name)));
            const auto symbol = must(session_.lookup({&library}, session_.intern("quern_kernel")));
            entry = symbol.getAddress().toPtr<quern_cpu_entry>();
        } catch (...) {
            llvm::consumeError(session_.removeJITDylib(library));
            throw;
        }
        return &library;
    }

    void unlink(llvm::orc::JITDylib& library) { must(session_.removeJITDylib(library)); }

private:
    linker()
        : session_(must(llvm::orc::SelfExecutorProcessControl::Create())), layer_(session_, must(llvm::jitlink::InProcessMemoryManager::Create())) {
        session_.setErrorReporter([](llvm::Error e) { llvm::consumeError(std::move(e)); });  // lookup reports the same
    }

    llvm::orc::ExecutionSession session_;
    llvm::orc::ObjectLinkingLayer layer_;
    std::atomic<std::uint64_t> next_{0};
};

}  // namespace

void* link_object(const void* object, std::size_t size_bytes, quern_cpu_entry& entry) {
    const llvm::StringRef bytes(static_cast<const char*>(object), size_bytes);
    if (const std::string names = undefined_symbols(bytes); !names.empty())
        throw compile_error("the object needs symbols from elsewhere: " + names);
    return linker::get().link(bytes, entry);
}

void unlink_object(void* handle) {
    if (handle) linker::get().unlink(*static_cast<llvm::orc::JITDylib*>(handle));
}

}  // namespace quern::cpu::codegen
