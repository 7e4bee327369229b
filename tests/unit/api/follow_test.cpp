// SPDX-License-Identifier: MIT
// follow_test: heaps that follow the available memory, through the public interface, on the real host. Left out: the advice itself (unit/libgray), real limits (bench/heapnice).
#include <cerrno>
#include <cstdint>

#include <poll.h>

#include "libgray/include/gray/follow.h"
#include "tests/support/catch.hpp"

namespace {

constexpr std::uint64_t kMiB = 1U << 20U;

struct gb_follow_heap heap_of(std::uint64_t heap_bytes, std::uint64_t live_bytes) {
  struct gb_follow_heap heap {};
  heap.size = sizeof heap;
  heap.heap_bytes = heap_bytes;
  heap.live_bytes = live_bytes;
  heap.collecting_ns = UINT64_MAX;
  return heap;
}

}  // namespace

TEST_CASE("a heap is advised within its bounds, and told of nothing new the second time") {
  struct gb_follow_options options {};
  options.size = sizeof options;
  options.min_bytes = 2 * kMiB;
  options.max_bytes = 16 * kMiB;
  gb_follow_t* follow = nullptr;
  REQUIRE(gb_follow_open(&options, &follow) == 0);
  const struct gb_follow_heap heap = heap_of(4 * kMiB, 2 * kMiB);
  struct gb_follow_advice advice {};
  advice.size = sizeof advice;
  REQUIRE(gb_follow_ask(follow, &heap, &advice) == 0);
  CHECK(advice.reason == GB_FOLLOW_FIRST);
  CHECK(advice.bytes >= 2 * kMiB);
  CHECK(advice.bytes <= 16 * kMiB);
  const std::uint64_t first_bytes = advice.bytes;
  REQUIRE(gb_follow_ask(follow, &heap, &advice) == 0);
  CHECK(advice.verdict == GB_FOLLOW_STAY);
  CHECK(advice.bytes == first_bytes);
  gb_follow_close(follow);
}

TEST_CASE("a wait ends by its time, and the descriptor is one that can be polled") {
  gb_follow_t* follow = nullptr;
  REQUIRE(gb_follow_open(nullptr, &follow) == 0);
  CHECK(gb_follow_wait(follow, 1) >= 0);
  const int fd = gb_follow_fd(follow);
  if (fd >= 0) {
    pollfd polled{fd, POLLIN, 0};
    CHECK(poll(&polled, 1, 0) >= 0);
    CHECK((polled.revents & POLLNVAL) == 0);
  } else {
    CHECK(fd == -ENOTSUP);
  }
  gb_follow_close(follow);
}

TEST_CASE("a question that makes no sense is refused") {
  gb_follow_t* follow = nullptr;
  CHECK(gb_follow_open(nullptr, nullptr) == -EINVAL);
  struct gb_follow_options options {};
  CHECK(gb_follow_open(&options, &follow) == -EINVAL);
  options.size = sizeof options;
  options.cache = 3;
  CHECK(gb_follow_open(&options, &follow) == -EINVAL);
  options.cache = 0;
  options.min_bytes = 2;
  options.max_bytes = 1;
  CHECK(gb_follow_open(&options, &follow) == -EINVAL);
  CHECK(follow == nullptr);
  REQUIRE(gb_follow_open(nullptr, &follow) == 0);
  struct gb_follow_heap heap = heap_of(kMiB, 0);
  struct gb_follow_advice advice {};
  CHECK(gb_follow_ask(follow, &heap, &advice) == -EINVAL);
  advice.size = sizeof advice;
  CHECK(gb_follow_ask(nullptr, &heap, &advice) == -EINVAL);
  CHECK(gb_follow_ask(follow, nullptr, &advice) == -EINVAL);
  heap.size = 8;
  CHECK(gb_follow_ask(follow, &heap, &advice) == -EINVAL);
  CHECK(gb_follow_fd(nullptr) == -EINVAL);
  CHECK(gb_follow_wait(nullptr, 0) == -EINVAL);
  gb_follow_close(follow);
  gb_follow_close(nullptr);
}
