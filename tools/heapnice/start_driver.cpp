// SPDX-License-Identifier: MIT
#include "tools/heapnice/start_driver.hpp"

#include <algorithm>
#include <cstdlib>

#include "libgray/src/memory/allocator.hpp"

namespace heapnice {

std::uint64_t start_bytes(const Options& options) {
  gray::memory::Allocator allocator;
  gray::memory::Request request;
  request.min_bytes = std::max<std::uint64_t>(options.min_bytes, 1);
  request.max_bytes = options.max_bytes;
  request.margin_bytes = options.pools.margin_bytes;
  const auto estimate = allocator.estimate(request);
  return estimate ? estimate.value().bytes : 0;
}

void StartDriver::tell(const char* variable, const std::string& value, const std::string& what) {
  setenv(variable, value.c_str(), 1);
  log_.set_environment(std::string(variable) + "=" + value);
  log_.note(what + ", and keeps that: its heap cannot be moved from outside while it runs");
}

}  // namespace heapnice
