// The threads of the loops by hand: they share [0, n) in pieces taken from one counter. The caller is one of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace bench {

class crew {
public:
    explicit crew(std::size_t threads);
    ~crew();
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;

    /// Calls body(first, last) for pieces of `grain` (the last may be shorter) and returns when all are done. A crew of
    /// one makes one piece of all.
    template <class Body>
    void share(std::size_t n, std::size_t grain, const Body& body) {
        if (threads_.empty()) return body(std::size_t{0}, n);
        share(n, grain, [](const void* b, std::size_t first, std::size_t last) {
            (*static_cast<const Body*>(b))(first, last);
        }, &body);
    }
    std::size_t size() const { return threads_.size() + 1; }

private:
    using function = void (*)(const void* body, std::size_t first, std::size_t last);

    void share(std::size_t n, std::size_t grain, function f, const void* body);
    void take_pieces();
    void help();

    std::vector<std::thread> threads_;
    function function_ = nullptr;
    const void* body_ = nullptr;
    std::size_t n_ = 0, grain_ = 1;
    std::atomic<std::size_t> next_{0}, busy_{0};
    std::atomic<unsigned> round_{0};
    std::atomic<bool> stops_{false};
};

}  // namespace bench
