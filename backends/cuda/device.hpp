// A CUDA device: one GPU's primary context, or a context that was adopted.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda/driver.hpp"

namespace quern::cuda {

std::vector<backends::device_description> enumerate(std::string& reason);
/// "cuda:0"; throws device_error for what enumerate does not list.
std::unique_ptr<backends::device> open_device(std::string_view id);
/// `handle` is a CUcontext, which must outlive the device.
std::unique_ptr<backends::device> adopt_device(void* handle);

}  // namespace quern::cuda
