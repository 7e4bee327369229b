// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/left_writes.hpp"

#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace discnice::protocol {
namespace {

using gray::base::raw_syscall;
using gray::base::word;

}  // namespace

void wake_left_sender(Segment& segment) {
  segment.left_asked.fetch_add(1, std::memory_order_release);  // pairs with the acquire of left_asked()
  raw_syscall(SYS_futex, word(&segment.left_asked), FUTEX_WAKE, 1);
}

void ask_to_send_left(Segment& segment, std::uint64_t mount_id) {
  std::uint64_t nobody = 0;
  if (segment.send_left_of.compare_exchange_strong(nobody, mount_id + 1, std::memory_order_relaxed))
    wake_left_sender(segment);
}

std::uint64_t wait_for_left(Segment& segment, std::uint32_t asked, unsigned wait_ms) {
  const std::uint64_t mount = segment.send_left_of.load(std::memory_order_relaxed);
  if (mount != 0) return mount;
  const timespec most{static_cast<time_t>(wait_ms / 1000), static_cast<long>(wait_ms % 1000) * 1'000'000};
  raw_syscall(SYS_futex, word(&segment.left_asked), FUTEX_WAIT, static_cast<long>(asked), word(&most));
  return segment.send_left_of.load(std::memory_order_relaxed);
}

}  // namespace discnice::protocol
