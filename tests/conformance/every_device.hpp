// A test's loop over the devices that conformance is about.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/conformance/configuration.hpp"
#include "tests/skip.hpp"

namespace quern::tests {

/// Calls `f` with every device that is here. A configuration that is absent makes the test skip, with its reason.
template <class F>
void on_every_device(F f) {
    std::string absent;
    bool any = false;
    for (const configuration& c : configurations()) {
        std::string reason;
        const auto bed = testbed::open(c, reason);
        if (bed == nullptr) {
            absent += fmt::format("{} at {} lanes: {}; ", c.device, c.lanes, reason);
            continue;
        }
        any = true;
        f(*bed);
    }
    if (!any) skip(absent);
}

}  // namespace quern::tests
