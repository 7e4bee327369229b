// SPDX-License-Identifier: MIT
// working_set_api: the C interface of the watch over a process's memory.
#include <algorithm>
#include <cerrno>
#include <memory>

#include "gray/working_set.h"
#include "libgray/src/api/guarded.hpp"
#include "libgray/src/api/sized_struct.hpp"
#include "libgray/src/workingset/knee.hpp"
#include "libgray/src/workingset/watch.hpp"

struct gb_working_set {
  gray::workingset::Watch watch;
};

namespace {

using gray::workingset::Doubt;

constexpr std::size_t kLookSizeFirst = 72;  // release 0.1
static_assert(sizeof(gb_working_set_sample) >= kLookSizeFirst);
static_assert(int{GB_DOUBT_HUGE} == int{Doubt::kHuge} && int{GB_DOUBT_RECLAIM} == int{Doubt::kReclaim} &&
              int{GB_DOUBT_CLEARED} == int{Doubt::kCleared} &&
              int{GB_DOUBT_HUGETLB} == int{Doubt::kHugetlb} && int{GB_DOUBT_SWAPPED} == int{Doubt::kSwapped});

}  // namespace

extern "C" gb_status_t gb_working_set_open(pid_t pid, gb_working_set_t** watch) {
  if (watch == nullptr) return -EINVAL;
  *watch = nullptr;
  if (pid <= 0) return -EINVAL;
  return gray::api::guarded([&] {
    auto made = std::make_unique<gb_working_set>(gb_working_set{gray::workingset::Watch(pid)});
    if (made->watch.error() != 0) return made->watch.error();
    *watch = made.release();
    return 0;
  });
}

extern "C" gb_status_t gb_working_set_clear(gb_working_set_t* watch) {
  if (watch == nullptr) return -EINVAL;
  return gray::api::guarded([&] { return watch->watch.clear(); });
}

extern "C" gb_status_t gb_working_set_look(gb_working_set_t* watch, struct gb_working_set_sample* look) {
  if (watch == nullptr || look == nullptr || look->size < kLookSizeFirst) return -EINVAL;
  return gray::api::guarded([&] {
    const auto seen = watch->watch.look();
    if (!seen) return seen.error();
    const gray::workingset::MemorySums& sums = seen.value().sums;
    struct gb_working_set_sample answer {};
    answer.since_ns = seen.value().since_ns;
    answer.touched_bytes = sums.marked_bytes;
    answer.resident_bytes = sums.resident_bytes;
    answer.share_bytes = sums.share_bytes;
    answer.huge_bytes = std::min(sums.huge_bytes, sums.marked_bytes);
    answer.swapped_bytes = sums.swapped_bytes;
    answer.cost_ns = seen.value().cost_ns;
    answer.doubts = seen.value().doubts;
    return gray::api::write_sized(answer, kLookSizeFirst, look);
  });
}

extern "C" void gb_working_set_close(gb_working_set_t* watch) {
  delete watch;
}

extern "C" gb_status_t gb_working_set_knee(const uint64_t* since_ns, const uint64_t* touched_bytes,
                                           size_t count, size_t* knee) {
  if (knee == nullptr || (count != 0 && (since_ns == nullptr || touched_bytes == nullptr))) return -EINVAL;
  for (size_t i = 1; i < count; ++i) {
    if (since_ns[i] <= since_ns[i - 1]) return -EINVAL;
  }
  return gray::api::guarded([&] {
    std::vector<gray::workingset::CurvePoint> curve;
    for (size_t i = 0; i < count; ++i) curve.push_back({since_ns[i], touched_bytes[i]});
    const auto found = gray::workingset::find_knee(curve);
    if (!found) return -ENODATA;
    *knee = *found;
    return 0;
  });
}
