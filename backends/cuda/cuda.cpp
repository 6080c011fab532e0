#include "backends/cuda/cuda.hpp"

#include "backends/cuda/compile.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/target.hpp"

namespace quern::cuda {
namespace {

class cuda_backend final : public backends::backend {
public:
    std::string_view name() const override { return "cuda"; }
    std::vector<backends::device_description> enumerate(std::string& reason) override { return cuda::enumerate(reason); }
    std::unique_ptr<backends::device> open(std::string_view id, const backends::open_options&) override { return open_device(id); }
    std::unique_ptr<backends::device> adopt(const backends::native_device& n) override { return adopt_device(n.device); }
    backends::target find_target(std::string_view name) override { return cuda::find_target(name); }
    backends::artifact compile(const ir::module& m, const backends::target& t, const backends::compile_options& o) override {
        return cuda::compile(m, t, o);
    }
    std::vector<backends::stage> inspect(const ir::module& m, const backends::target& t, const backends::compile_options& o) override {
        return cuda::inspect(m, t, o);
    }
};

}  // namespace
}  // namespace quern::cuda

namespace quern::backends {

backend& cuda_backend() {
    static cuda::cuda_backend backend;
    return backend;
}

}  // namespace quern::backends
