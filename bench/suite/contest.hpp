// One row of the suite: a piece of work done by a Quern kernel, by the best loops by hand and by plain scalar loops, all
// on the same memory, and what the result must be. Rows register themselves; measure.cpp runs them.
#pragma once

#include <quern/quern.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "loops.hpp"
#include "crew.hpp"

namespace bench {

/// What a row's speed is counted in, and what bounds it.
enum class unit { bytes, flops };

/// |result - expected| <= absolute + relative |expected| for all elements but a share of `exceptions`.
struct tolerance {
    double absolute = 0, relative = 0, exceptions = 0;
};

class contest {
public:
    virtual ~contest() = default;

    /// Bytes or FLOP of one run.
    virtual double work() const = 0;
    /// Runs in a row that make one measurement; more than one where a run is too short to be measured.
    virtual std::size_t runs() const { return 1; }

    /// Puts back what a run changes and spoils what it must write.
    virtual void reset() = 0;
    virtual void run(const loops& l, crew& c) = 0;
    /// Queues one run on the device that attach() was called for last.
    virtual void run(const quern::device& d) = 0;
    /// Makes the device's buffers: the same memory as everyone's.
    virtual void attach(const quern::device& d) = 0;

    virtual std::vector<float> results() const = 0;
    /// Computed in double.
    virtual std::vector<double> expected() const = 0;
    virtual tolerance allowed() const = 0;
};

struct row {
    std::string name;
    unit counted_in;
    void (*prepare)(const quern::device&);  ///< compiles the row's kernels
    std::function<std::unique_ptr<contest>()> make;
};

/// In the order of their names' registration within a file; files in the order of the linker.
std::vector<row>& rows();

template <class Contest>
struct register_row {
    template <class... Argument>
    register_row(const char* name, unit counted_in, Argument... argument) {
        rows().push_back({name, counted_in, Contest::prepare, [=] { return std::make_unique<Contest>(argument...); }});
    }
};

/// Empty if every result is as close as allowed; otherwise how many are not, and the first.
std::string find_mistake(std::span<const float> results, std::span<const double> expected, const tolerance& allowed);

}  // namespace bench
