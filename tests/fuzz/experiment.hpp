// Puts a trial through everything that must agree: validation, text, canonical form, bytes, passes, and every device
// at every lane width against the reference interpreter, bit for bit.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "tests/fuzz/trial.hpp"

namespace quern::fuzz {

/// What went wrong, and the step where it did ("validate", "optimise", "cpu at 8 lanes" …).
struct failure {
    std::string step;
    std::string message;
};

struct experiment_options {
    std::vector<std::uint32_t> lanes{4, 8, 16};
    std::vector<std::uint32_t> vectors{1, 2, 4};  ///< in flight; the trial picks one for every width
    std::vector<std::string> devices{"cpu"};
};

class experiment {
public:
    /// Throws usage_error that names a device which is not there.
    explicit experiment(experiment_options options);

    /// Nothing if all agree. Throws usage_error if the trial itself is no experiment: the reference refuses the kernel.
    std::optional<failure> run(const trial& t);

private:
    using contents = std::vector<std::vector<std::byte>>;  ///< by parameter

    struct opened {
        backends::backend* backend = nullptr;
        std::unique_ptr<backends::device> device;
    };

    std::optional<failure> compare_forms(const trial& t);
    const contents& expected(const trial& t, const ir::module& original, std::uint32_t lanes);
    contents run_on(opened& o, const trial& t, const ir::module& m, const backends::compile_options& how);

    experiment_options options_;
    std::map<std::pair<std::string, std::uint32_t>, opened> devices_;
    std::map<std::uint32_t, contents> expected_;  ///< by lanes, of the trial that is running; one for all where lanes do not show
};

/// Runs the kernel in the reference interpreter. Throws what the interpreter throws.
std::vector<std::vector<std::byte>> run_reference(const trial& t, const ir::module& m, std::uint32_t lanes);

/// The first difference between two contents of all buffers, or nothing. Bits count; any NaN equals any NaN; buffers
/// that hold results of functions with an error bound may differ by it.
std::optional<std::string> find_difference(const ir::module& m, const std::vector<std::vector<std::byte>>& expected,
                                           const std::vector<std::vector<std::byte>>& found);

}  // namespace quern::fuzz
