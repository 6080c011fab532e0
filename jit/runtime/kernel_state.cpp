#include "jit/runtime/kernel_state.hpp"

#include <quern/error.hpp>
#include <quern/kernel.hpp>

#include <fmt/format.h>

#include <chrono>

#include "dsl/ir/canonical.hpp"
#include "dsl/ir/text.hpp"
#include "jit/passes/pipeline.hpp"
#include "jit/runtime/source_files.hpp"
#include "platform/text_file.hpp"

namespace quern::quern_detail {
namespace {

class stopwatch {
public:
    /// Milliseconds since the last call.
    double lap_ms() {
        const auto now = std::chrono::steady_clock::now();
        return std::chrono::duration<double, std::milli>(now - std::exchange(start_, now)).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Kernels may have any name; files of a dump stay in its folder.
std::string as_file_name(std::string name) {
    for (char& c : name)
        if (c == ':' || c == '/' || c == '\\' || c == '\0') c = '-';
    return name;
}

void dump(const std::string& folder, const std::string& kernel, const device_state& d, const ir::module& m) {
    std::vector<backends::stage> stages = d.backend().inspect(m, d.target(), d.compile_options());
    stages.insert(stages.begin(), {"ir", ir::print(m)});
    for (const backends::stage& s : stages) {
        const std::string path = fmt::format("{}/{}", folder, as_file_name(fmt::format("{}.{}.{}", kernel, d.id(), s.name)));
        if (!platform::write_text_file(path, s.text))
            jit::log(d.settings(), log_level::warning, fmt::format("QUERN_DUMP: cannot write {}", path));
    }
}

jit::entry compile_entry(const device_state& d, const ir::module& m, const backends::compile_options& options) {
    jit::entry e;
    e.kernel = m.name;
    e.device = d.target().info.name;
    e.target = d.target().name;
    e.code = d.backend().compile(m, d.target(), options);
    e.ir = ir::to_bytes(ir::canonicalise(m), ir::side_tables::include);
    return e;
}

std::string_view verb_of(jit::cache_source s) {
    switch (s) {
        case jit::cache_source::memory: return "found in memory in";
        case jit::cache_source::disk: return "read from disk in";
        case jit::cache_source::shared_folder: return "read from the shared folder in";
        case jit::cache_source::compiler: return "compiled in";
    }
    return {};
}

}  // namespace

kernel_state::kernel_state(std::string name, std::string file, std::uint32_t line, std::unique_ptr<const kernel_body> body,
                           std::span<const parameter_desc> parameters)
    : name_(std::move(name)), file_(std::move(file)), line_(line), body_(std::move(body)), parameters_(parameters) {}

kernel_state::kernel_state(ir::module m) : name_(m.name), module_(std::move(m)) {}

kernel_state::~kernel_state() {
    for (jit::variant* v = variants_.load(std::memory_order_acquire); v != nullptr;) {
        jit::variant* next = v->next;
        v->release();
        v = next;
    }
}

jit::variant* kernel_state::find(const device_state& d, ir::launch_kind kind) const noexcept {
    jit::variant* v = variants_.load(std::memory_order_acquire);
    while (v != nullptr && !v->is_for(d, kind)) v = v->next;
    return v;
}

jit::variant& kernel_state::get(device_state& d, ir::launch_kind kind) {
    if (jit::variant* v = find(d, kind)) return *v;
    const std::scoped_lock lock(build_mutex_);
    if (jit::variant* v = find(d, kind)) return *v;  // another thread built it meanwhile
    jit::variant* built = build(d, kind);
    built->next = variants_.load(std::memory_order_relaxed);
    variants_.store(built, std::memory_order_release);
    return *built;
}

jit::variant* kernel_state::build(device_state& d, ir::launch_kind kind) {
    stopwatch watch;
    const bool dumps = !d.settings().dump_dir.empty();
    const jit::traced_kernel traced = trace(d.target().info, kind, dumps ? names::from_source : names::omit);
    if (dumps) dump(d.settings().dump_dir, name_, d, traced.module);
    watch.lap_ms();
    auto v = std::make_unique<jit::variant>(d, kind);
    v->facts = jit::find_launch_facts(traced.module);
    const backends::compile_options options = d.compile_options();
    const jit::manifest key = jit::describe_compilation(traced.module, d.backend().name(), d.target(), options);
    const auto compile = [&] { return compile_entry(d, traced.module, options); };
    jit::kernel_cache::result found = d.cache().get(key, compile);
    const double get_ms = watch.lap_ms();
    try {
        v->program = d.device().load(found.code->code, traced.module, options);
    } catch (const error& e) {
        if (found.source == jit::cache_source::compiler) throw;
        jit::log(d.settings(), log_level::warning,
                 fmt::format("kernel \"{}\" for {}: the cached code was refused and is made anew: {}", name_, d.id(), e.what()));
        d.cache().discard(key.key());
        found = d.cache().get(key, compile);
        v->program = d.device().load(found.code->code, traced.module, options);
    }
    jit::log(d.settings(), log_level::information,
             fmt::format("kernel \"{}\" for {}: traced in {:.2f} ms, passes {:.2f} ms, {} {:.2f} ms, {} bytes, "
                         "loaded {:.2f} ms", name_, d.id(), traced.trace_ms, traced.passes_ms, verb_of(found.source),
                         get_ms, found.code->code.bytes.size(), watch.lap_ms()));
    return v.release();
}

ir::module kernel_state::trace_body(const target_info& target, ir::launch_kind kind, names n) {
    if (module_) {
        if (module_->launch != kind)
            throw usage_error(fmt::format("kernel \"{}\" is IR for another kind of launch", name_));
        return *module_;
    }
    const std::scoped_lock lock(body_mutex_);
    trace::request request;
    request.target = &target;
    request.launch = kind;
    request.kernel_name = name_;
    const jit::source_files source;
    if (n == names::from_source) request.source = &source;
    request.file = file_;
    request.line = line_;
    trace::result result = trace::trace_kernel(*body_, parameters_, request);
    if (!result.requirements_met)
        throw usage_error(fmt::format("kernel \"{}\": the default values of its tunables do not meet its require(…) on "
                                      "{}", name_, target.name));
    return std::move(result.module);
}

jit::traced_kernel kernel_state::trace(const target_info& target, ir::launch_kind kind, names n) {
    stopwatch watch;
    jit::traced_kernel t;
    t.module = trace_body(target, kind, n);
    jit::check_against_target(t.module, target, file_.empty() ? std::string() : fmt::format("{}:{}", file_, line_));
    t.trace_ms = watch.lap_ms();
    jit::optimise(t.module);
    t.passes_ms = watch.lap_ms();
    return t;
}

ir::launch_kind kernel_state::usual_launch(const target_info& target) {
    if (module_) return module_->launch;
    return trace_body(target, ir::launch_kind::over, names::omit).covers[0] != 0 ? ir::launch_kind::tiles : ir::launch_kind::over;
}

std::vector<ir::launch_kind> kernel_state::possible_launches(const target_info& target) {
    if (module_) return {module_->launch};
    const ir::module m = trace_body(target, ir::launch_kind::over, names::omit);
    if (m.covers[0] != 0) return {ir::launch_kind::tiles};
    if (m.workgroup_size[0] != 0) return {ir::launch_kind::over, ir::launch_kind::groups};
    return {ir::launch_kind::over};
}

void retain(kernel_state* s) noexcept { s->retain(); }
void release(kernel_state* s) noexcept { s->release(); }

kernel_state* make_kernel(std::string_view name, const kernel_body* body, const parameter_desc* parameters,
                          std::size_t parameter_count, const char* file, unsigned line) {
    std::unique_ptr<const kernel_body> owned(body);
    return new kernel_state(std::string(name), file, line, std::move(owned), {parameters, parameter_count});
}

}  // namespace quern::quern_detail
