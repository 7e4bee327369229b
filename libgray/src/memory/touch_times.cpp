// SPDX-License-Identifier: MIT
#include "libgray/src/memory/touch_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/levels.hpp"

namespace gray::memory {
namespace {

constexpr std::uint64_t kPages = 64;
constexpr double kTimeMaxNs = 1e9;  // a longer time cannot be that of a touch
// The number of pages that the kernel gives up at once (SWAP_CLUSTER_MAX).
constexpr double kReclaimBatch = 32;
// The ratio that is assumed when no ratio was measured: a touch that waits for a device takes at least this many times as long as a touch that does not wait.
// The factor is that of a quick flash disk.
constexpr double kDeviceOverMemory = 16;
// A fault that finds its page in memory needs no clearing of a page.
constexpr double kShareOfFault = 0.5;
// A touch of memory outside the processor's caches takes this many times as long as a touch of cached memory.
constexpr double kAgainMax = 4;
// Pages that are paged out leave memory only after the disk has written them.
constexpr int kPutOutTimes = 3;
constexpr int kPutOutTries = 20;
constexpr std::uint64_t kPutOutPauseNs = 1'000'000;

using Times = std::array<std::uint32_t, kPages>;

// A stretch of memory, which the destructor gives back.
class Stretch {
 public:
  Stretch() : address_(os::reserve_memory(bytes())) {}
  ~Stretch() {
    if (address_) os::release_memory(address_.value(), bytes());
  }
  Stretch(const Stretch&) = delete;
  Stretch& operator=(const Stretch&) = delete;

  [[nodiscard]] bool is_there() const { return static_cast<bool>(address_); }

  // Does not write zeros: pages that are all zero are not kept in swap, and come back without a device.
  Times write() const {
    Times times{};
    os::touch_pages(address_.value(), {0, kPages, 1, 1}, times.data());
    return times;
  }
  [[nodiscard]] Times read() const {
    Times times{};
    os::look_at_pages(address_.value(), kPages, times.data());
    return times;
  }
  void drop() const { os::drop_memory(address_.value(), bytes()); }
  // Asks the kernel to page the pages out. Returns the time for each page, or -1.
  double put_out() const {
    const std::uint64_t start_ns = os::now_ns();
    if (os::put_out(address_.value(), bytes()) != 0) return -1;
    return static_cast<double>(os::now_ns() - start_ns) / kPages;
  }

 private:
  static std::uint64_t bytes() { return kPages * os::memory_page_bytes(); }

  base::Result<unsigned char*> address_;
};

double median(Times times) {
  std::nth_element(times.begin(), times.begin() + kPages / 2, times.end());
  return times[kPages / 2];
}

double middle(double low, double high) {
  return std::sqrt(low * high);
}

// The time of the touches that waited for a device; 0 if none did. Times that a fault alone explains form one level.
double level_of_device(const Times& times, double fault_ns) {
  std::array<std::uint64_t, kPages> wide{};
  std::copy(times.begin(), times.end(), wide.begin());
  const auto alike_ns = static_cast<std::uint64_t>(2 * fault_ns);
  const base::Levels levels = base::find_levels(wide.data(), wide.size(), alike_ns);
  for (std::size_t i = 0; i < levels.count; ++i)
    if (levels.level[i].median_ns > alike_ns) return static_cast<double>(levels.level[i].median_ns);
  return 0;
}

}  // namespace

TouchTimes recorded_times(const repo::Repository& repository) {
  const auto known = [&](const char* key) {
    const auto found = repository.find(key);
    if (!found || found->source == repo::Source::kDefault) return 0.0;
    const double value = found->parameter.value;
    return value > 0 && value <= kTimeMaxNs ? value : 0.0;
  };
  TouchTimes times;
  times.again_ns = known("memory.retouch_ns");
  if (times.again_ns != 0) times.again_ns += known("timer.overhead_ns");
  times.fault_ns = known("memory.touch_4k_ns");
  times.reclaim_ns = known("memory.reclaim_page_ns");
  times.out_ns = known("memory.swap_out_page_ns");
  times.in_ns = known("memory.swap_in_ns");
  return times;
}

void time_touches(TouchTimes& times) {
  const Stretch stretch;
  if (!stretch.is_there()) return;
  times.fresh_ns = median(stretch.write());
  const double again_ns = median(stretch.write());
  if (times.again_ns == 0) times.again_ns = again_ns;
  if (times.fault_ns != 0) return;
  // The kernel hands out the same pages again, and the hypervisor has already found memory for these pages.
  stretch.drop();
  times.fault_ns = median(stretch.write());
}

bool time_paging(TouchTimes& times) {
  const Stretch stretch;
  if (!stretch.is_there()) return false;
  stretch.write();
  double least_ns = stretch.put_out();
  if (least_ns < 0 || median(stretch.read()) < kAgainMax * times.again_ns) return false;
  // Disturbances only make times longer, so several tries are made. Each try uses other pages, because pages that are being written stay in memory until that is done.
  for (int i = 1; i < kPutOutTimes && times.out_ns == 0; ++i) {
    const Stretch other;
    if (!other.is_there()) break;
    other.write();
    least_ns = std::min(least_ns, other.put_out());
  }
  if (times.out_ns == 0) times.out_ns = least_ns;
  // Pages that are still being written are also in memory, and come back without the device.
  for (int i = 0; i < kPutOutTries && times.in_ns == 0; ++i) {
    stretch.put_out();
    os::pause_ns(kPutOutPauseNs);
    times.in_ns = level_of_device(stretch.read(), times.fault_ns);
  }
  return true;
}

TouchBounds bounds_of(const TouchTimes& times) {
  const double fault_ns = std::max(times.fault_ns, 1.0);
  // The slowest touch that does not wait for a device.
  const double near_ns = std::max(fault_ns, kAgainMax * times.again_ns);
  const double in_ns = times.in_ns != 0 ? times.in_ns : kDeviceOverMemory * near_ns;
  const double clean_ns = fault_ns + kReclaimBatch * (times.reclaim_ns != 0 ? times.reclaim_ns : fault_ns);
  const double dirty_ns =
      times.out_ns != 0 ? fault_ns + kReclaimBatch * times.out_ns : kDeviceOverMemory * clean_ns;
  // The delay by a hypervisor. Other touches vary by the same factor.
  const double lateness = std::max(times.fresh_ns / fault_ns, 1.0);
  TouchBounds bounds;
  bounds.fault_ns =
      static_cast<std::uint64_t>(std::max(kShareOfFault * fault_ns, kAgainMax * times.again_ns));
  bounds.in_ns = static_cast<std::uint64_t>(middle(near_ns, std::max(in_ns, near_ns)));
  bounds.out_ns = static_cast<std::uint64_t>(lateness * middle(clean_ns, std::max(dirty_ns, clean_ns)));
  return bounds;
}

}  // namespace gray::memory
