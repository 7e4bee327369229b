// SPDX-License-Identifier: MIT
#include "toolbox/timing/cached_read.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/fd.hpp"

namespace gray::timing {
namespace {

constexpr int kReads = 64;
constexpr int kLowPlace = kReads / 4;

}  // namespace

base::Result<CachedRead> time_cached_read() {
  using Failed = base::Result<CachedRead>;
  const std::uint64_t start_ns = base::monotonic_ns();
  const base::ScopedFd file = base::ScopedFd::open("/proc/self/exe", O_RDONLY);
  if (!file.is_open()) return Failed::failure(file.error());
  std::uint64_t times_ns[kReads];
  for (std::uint64_t& time_ns : times_ns) {
    char byte = 0;
    const std::uint64_t before_ns = base::monotonic_ns();
    if (pread(file.get(), &byte, 1, 0) != 1) return Failed::failure(errno != 0 ? -errno : -EIO);
    time_ns = base::monotonic_ns() - before_ns;
  }
  std::nth_element(times_ns, times_ns + kLowPlace, times_ns + kReads);
  return CachedRead{static_cast<double>(times_ns[kLowPlace]), base::monotonic_ns() - start_ns};
}

}  // namespace gray::timing
