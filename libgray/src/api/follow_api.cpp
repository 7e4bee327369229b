// SPDX-License-Identifier: MIT
// follow_api: the C interface of heaps that follow the free memory. Exceptions end here.
#include <algorithm>
#include <cerrno>
#include <limits>

#include "gray/alloc.h"
#include "gray/follow.h"
#include "libgray/src/api/guarded.hpp"
#include "libgray/src/api/sized_struct.hpp"
#include "libgray/src/memory/follower.hpp"

struct gb_follow {
  explicit gb_follow(const gray::memory::Followed& followed) : follower(followed) {}
  gray::memory::Follower follower;
};

namespace {

using gray::memory::FollowReason;
using gray::memory::FollowVerdict;

// Release 0.1.
constexpr std::size_t kOptionsSizeFirst = 40;
constexpr std::size_t kHeapSizeFirst = 32;
constexpr std::size_t kAdviceSizeFirst = 32;
static_assert(sizeof(gb_follow_options) >= kOptionsSizeFirst);
static_assert(sizeof(gb_follow_heap) >= kHeapSizeFirst);
static_assert(sizeof(gb_follow_advice) >= kAdviceSizeFirst);

static_assert(GB_FOLLOW_STAY == static_cast<int>(FollowVerdict::stay));
static_assert(GB_FOLLOW_GROW == static_cast<int>(FollowVerdict::grow));
static_assert(GB_FOLLOW_SHRINK == static_cast<int>(FollowVerdict::shrink));
static_assert(GB_FOLLOW_NOTHING == static_cast<int>(FollowReason::none));
static_assert(GB_FOLLOW_FIRST == static_cast<int>(FollowReason::first));
static_assert(GB_FOLLOW_ROOM == static_cast<int>(FollowReason::room));
static_assert(GB_FOLLOW_PRESSURE == static_cast<int>(FollowReason::pressure));
static_assert(GB_FOLLOW_LIVE == static_cast<int>(FollowReason::live));

constexpr std::uint64_t kNanosecondsPerMillisecond = 1'000'000;
constexpr std::uint64_t kForEver = std::numeric_limits<std::uint64_t>::max();

int read_options(const struct gb_follow_options* given, gray::memory::Followed& followed) {
  if (given == nullptr) return 0;
  struct gb_follow_options asked {};
  const int status = gray::api::read_sized(given, kOptionsSizeFirst, asked);
  if (status != 0) return status;
  if (asked.cache > GB_CACHE_STEAL) return -EINVAL;
  if (asked.max_bytes != 0) followed.max_bytes = asked.max_bytes;
  if (asked.min_bytes > followed.max_bytes) return -EINVAL;
  followed.min_bytes = asked.min_bytes;
  followed.pid = asked.pid;
  followed.pools.margin_bytes = asked.margin_bytes;
  followed.pools.cache = static_cast<gray::memory::CachePolicy>(asked.cache);
  return 0;
}

}  // namespace

extern "C" gb_status_t gb_follow_open(const struct gb_follow_options* options, gb_follow_t** follow) {
  if (follow == nullptr) return -EINVAL;
  *follow = nullptr;
  return gray::api::guarded([&] {
    gray::memory::Followed followed;
    const int status = read_options(options, followed);
    if (status == 0) *follow = new gb_follow(followed);
    return status;
  });
}

extern "C" gb_status_t gb_follow_ask(gb_follow_t* follow, const struct gb_follow_heap* heap,
                                     struct gb_follow_advice* advice) {
  if (follow == nullptr || heap == nullptr || advice == nullptr) return -EINVAL;
  return gray::api::guarded([&] {
    struct gb_follow_heap told {};
    const int status = gray::api::read_sized(heap, kHeapSizeFirst, told);
    if (status != 0) return status;
    if (advice->size < kAdviceSizeFirst) return -EINVAL;
    gray::memory::HeapUse use;
    use.heap_bytes = told.heap_bytes;
    use.live_bytes = told.live_bytes;
    use.is_collecting_known = told.collecting_ns != UINT64_MAX;
    use.collecting_ns = told.collecting_ns;
    const auto answer = follow->follower.ask(use);
    if (!answer) return answer.error();
    struct gb_follow_advice told_back {};
    told_back.verdict = static_cast<std::uint32_t>(answer.value().verdict);
    told_back.reason = static_cast<std::uint32_t>(answer.value().reason);
    told_back.bytes = answer.value().bytes;
    told_back.room_bytes = answer.value().room_bytes;
    return gray::api::write_sized(told_back, kAdviceSizeFirst, advice);
  });
}

extern "C" int gb_follow_fd(const gb_follow_t* follow) {
  return follow == nullptr ? -EINVAL : follow->follower.fd();
}

extern "C" int gb_follow_wait(gb_follow_t* follow, uint64_t timeout_ms) {
  if (follow == nullptr) return -EINVAL;
  const std::uint64_t longest_ms = kForEver / kNanosecondsPerMillisecond;
  return follow->follower.wait(std::min(timeout_ms, longest_ms) * kNanosecondsPerMillisecond) ? 1 : 0;
}

extern "C" void gb_follow_close(gb_follow_t* follow) {
  delete follow;
}
