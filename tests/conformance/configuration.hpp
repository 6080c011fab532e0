// Which devices the conformance tests compare with the reference, and how a kernel runs on one of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"

namespace quern::tests {

/// A device by its backend's name, with what the backend understands behind it ("vulkan:0+descriptors"), the lane width
/// (subgroup size) that kernels are compiled for there, 0 for the device's own, and the vectors in flight.
struct configuration {
    std::string device;
    std::uint32_t lanes = 0;
    std::uint32_t vectors = 0;  ///< in flight; 0: the backend's choice
};

/// Every configuration that conformance is about; one that is absent on this machine is skipped by its name.
/// QUERN_TEST_DEVICE (such as "cuda" or "cpu at 8") leaves what begins so only.
std::span<const configuration> configurations();

using bytes = std::vector<std::byte>;

/// A kernel with its arguments; the buffers hold what the kernel left there when it has run.
struct experiment {
    const ir::module* kernel = nullptr;
    std::vector<bytes> buffers;  ///< by buffer parameter
    bytes values;
    std::array<std::uint64_t, 3> extent{1, 1, 1}, groups{1, 1, 1};
};

/// Runs on the reference interpreter with this subgroup size.
void run_on_reference(experiment& e, std::uint32_t lanes);

/// A device that is open for experiments.
class testbed {
public:
    /// Null with the reason where the device is absent.
    static std::unique_ptr<testbed> open(const configuration& c, std::string& reason);

    /// Validates, makes canonical, compiles, loads, uploads, runs, downloads.
    void run(experiment& e);
    const target_info& info() const { return device_->target().info; }
    const configuration& where() const { return configuration_; }

private:
    testbed(const configuration& c, backends::backend& b, std::unique_ptr<backends::device> d);

    configuration configuration_;
    backends::backend& backend_;
    std::unique_ptr<backends::device> device_;
};

}  // namespace quern::tests
