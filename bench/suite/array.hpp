// Host memory that all contestants work on: whole huge pages where the system has them, as an expert would ask for.
#pragma once

#include <quern/quern.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

namespace bench {

/// Bytes on huge pages; a different few cache lines from the start of a page each time, so that arrays do not meet in
/// the same cache sets.
class huge_memory {
public:
    explicit huge_memory(std::size_t size_bytes);
    ~huge_memory();
    huge_memory(const huge_memory&) = delete;
    huge_memory& operator=(const huge_memory&) = delete;
    void* data() const { return data_; }

private:
    void* allocation_;
    void* data_;
};

template <class T>
class array {
public:
    explicit array(std::size_t size) : memory_(size * sizeof(T)), size_(size) {}

    T* data() const { return static_cast<T*>(memory_.data()); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) const { return data()[i]; }
    T* begin() const { return data(); }
    T* end() const { return data() + size_; }

    /// A buffer of the CPU device over this memory.
    quern::buffer<T> on(const quern::device& d) const { return d.wrap(std::span<T>(data(), size_)); }

private:
    huge_memory memory_;
    std::size_t size_;
};

/// Evenly spread numbers that are the same in every run.
void fill_uniformly(const array<float>& a, float low, float high, unsigned seed);

}  // namespace bench
