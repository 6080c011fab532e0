// Counts what one thread allocates through operator new. The replaced operators stand in a file of their own, where
// the compiler cannot inline one half of a pair.
#pragma once

namespace quern::test {

/// Counts on the thread that made it, while it exists.
class allocation_counter {
public:
    allocation_counter();
    allocation_counter(const allocation_counter&) = delete;
    allocation_counter& operator=(const allocation_counter&) = delete;
    ~allocation_counter();

    int count = 0;
};

/// What the whole process has allocated and not freed, in number.
long long allocations_alive();

}  // namespace quern::test
