#include "backends/reference/interpreter.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <quern/error.hpp>

#include "backends/reference/invocation.hpp"
#include "backends/reference/subgroup.hpp"
#include "platform/floating_point.hpp"

namespace quern::reference {
namespace {

using extent3 = std::array<std::uint64_t, 3>;

template <class F>
void for_each(const extent3& e, F f) {
    for (std::uint64_t z = 0; z < e[2]; ++z)
        for (std::uint64_t y = 0; y < e[1]; ++y)
            for (std::uint64_t x = 0; x < e[0]; ++x) f(extent3{x, y, z});
}

/// One launch in progress.
class launch {
public:
    launch(const decoded_kernel& k, const run_arguments& a)
        : kernel_(k), arguments_(a), values_(a.values.begin(), a.values.end()), shared_(k.shared_count()),
          memory_{a.buffers, values_, a.step_budget} {
        for (std::size_t d = 0; d < 3; ++d) workgroup_[d] = std::max<std::uint64_t>(k.module().workgroup_size[d], 1);
        check_arguments();
    }

    void run() {
        const bool exact = kernel_.module().launch == ir::launch_kind::over;
        const extent3 groups = exact ? groups_of_extent() : arguments_.groups;
        if (kernel_.module().cooperative) {
            const auto count = static_cast<std::size_t>(workgroup_[0] * workgroup_[1] * workgroup_[2]);
            invocations_.reserve(count);
            for (std::size_t i = 0; i < count; ++i) invocations_.emplace_back(kernel_, memory_, shared_);
            for_each(groups, [&](const extent3& group) { run_workgroup(group, groups); });
            return;
        }
        invocation single(kernel_, memory_, shared_);
        const extent3 last = exact ? arguments_.extent
                                   : extent3{groups[0] * workgroup_[0], groups[1] * workgroup_[1], groups[2] * workgroup_[2]};
        for_each(last, [&](const extent3& global) {
            extent3 group{}, local{};
            for (std::size_t d = 0; d < 3; ++d) {
                group[d] = global[d] / workgroup_[d];
                local[d] = global[d] % workgroup_[d];
            }
            single.start(position_at(group, local, groups));
            if (single.run() != stop::finished)
                throw internal_error(kernel_.describe(single.location()) +
                                     "cooperation in a kernel that is not cooperative; please report this with the IR dump");
        });
    }

private:
    void check_arguments() const {
        const std::string& name = kernel_.module().name;
        if (arguments_.buffers.size() != kernel_.buffer_count())
            throw usage_error(fmt::format("kernel '{}' has {} buffer parameters, {} were given", name,
                                          kernel_.buffer_count(), arguments_.buffers.size()));
        if (values_.size() < kernel_.values_size_bytes())
            throw usage_error(fmt::format("kernel '{}' has {} bytes of values, {} were given", name,
                                          kernel_.values_size_bytes(), values_.size()));
        if (arguments_.lanes == 0) throw usage_error(fmt::format("kernel '{}': a subgroup needs lanes", name));
    }

    extent3 groups_of_extent() const {
        extent3 groups{};
        for (std::size_t d = 0; d < 3; ++d) {
            groups[d] = (arguments_.extent[d] + workgroup_[d] - 1) / workgroup_[d];
            if (kernel_.module().cooperative && arguments_.extent[d] % workgroup_[d] != 0)
                throw usage_error(fmt::format("kernel '{}': extent {} is no multiple of workgroup size {}",
                                              kernel_.module().name, arguments_.extent[d], workgroup_[d]));
        }
        return groups;
    }

    position position_at(const extent3& group, const extent3& local, const extent3& groups) const {
        position p;
        p.local = local;
        p.group = group;
        p.groups = groups;
        p.extent = arguments_.extent;
        for (std::size_t d = 0; d < 3; ++d) p.global[d] = group[d] * workgroup_[d] + local[d];
        p.flat_local = static_cast<std::uint32_t>(local[0] + workgroup_[0] * (local[1] + workgroup_[1] * local[2]));
        p.workgroup_invocations = static_cast<std::uint32_t>(workgroup_[0] * workgroup_[1] * workgroup_[2]);
        p.lanes = arguments_.lanes;
        return p;
    }

    void run_workgroup(const extent3& group, const extent3& groups) {
        std::ranges::fill(shared_, 0);
        auto next = invocations_.begin();
        for_each(workgroup_, [&](const extent3& local) { (next++)->start(position_at(group, local, groups)); });
        do {
            const std::span<invocation> all(invocations_);
            for (std::size_t first = 0; first < all.size(); first += arguments_.lanes)
                run_subgroup(all.subspan(first, std::min<std::size_t>(arguments_.lanes, all.size() - first)));
        } while (meet_at_barrier());
    }

    /// Runs until every invocation of the subgroup waits at a barrier or has finished.
    void run_subgroup(std::span<invocation> subgroup) {
        std::vector<invocation*> running;
        for (invocation& i : subgroup)
            if (i.stopped() != stop::finished) running.push_back(&i);
        while (!running.empty()) {
            for (invocation* i : running) i->run();
            std::erase_if(running, [](invocation* i) { return i->stopped() == stop::finished; });
            const auto waits = [](invocation* i) { return i->stopped() == stop::exchange; };
            if (std::ranges::none_of(running, waits)) return;
            const auto same = [&](invocation* i) { return waits(i) && i->arrived() == running[0]->arrived(); };
            if (!std::ranges::all_of(running, same))
                throw internal_error(kernel_.describe(running[0]->location()) +
                                     "divergent subgroup operation; please report this with the IR dump");
            exchange(kernel_, running[0]->exchanged(), running);
        }
    }

    /// True if all wait at one barrier and may go on, false if all have finished.
    bool meet_at_barrier() const {
        const auto waits = [](const invocation& i) { return i.stopped() == stop::barrier; };
        const auto first = std::ranges::find_if(invocations_, waits);
        if (first == invocations_.end()) return false;
        for (const invocation& i : invocations_)
            if (!waits(i) || i.arrived() != first->arrived())
                throw internal_error(kernel_.describe(first->location()) +
                                     "divergent barrier; please report this with the IR dump");
        return true;
    }

    const decoded_kernel& kernel_;
    const run_arguments& arguments_;
    std::vector<std::byte> values_;
    std::vector<std::uint64_t> shared_;
    launch_memory memory_;
    extent3 workgroup_{1, 1, 1};
    std::vector<invocation> invocations_;
};

}  // namespace

void interpret(const decoded_kernel& k, const run_arguments& a) {
    const platform::default_floating_point environment;
    launch(k, a).run();
}

void interpret(const ir::module& m, const run_arguments& a) { interpret(decoded_kernel(m), a); }

}  // namespace quern::reference
