// Makes a failing trial smaller while it still fails: removes statements, replaces conditionals and loops by what is
// in them, values by constants or operands, extents by smaller ones. It never makes an edit that could turn the kernel
// into one without a meaning (a race, an undefined read, a NaN's bits observed); what it cannot see, such as an index
// out of range, the reference refuses, and then the trial no longer fails in the same way.
#pragma once

#include <cstddef>
#include <functional>

#include "tests/fuzz/trial.hpp"

namespace quern::fuzz {

/// True while the trial fails as it did at first.
using still_fails = std::function<bool(const trial&)>;

/// The smallest trial found with at most `attempts` questions to `fails`.
trial shrink(trial t, const still_fails& fails, std::size_t attempts = 4000);

}  // namespace quern::fuzz
