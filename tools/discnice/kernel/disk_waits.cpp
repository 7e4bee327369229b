// SPDX-License-Identifier: MIT
#include "tools/discnice/kernel/disk_waits.hpp"

#include "toolbox/base/clock.hpp"

namespace discnice::guest {
namespace {

// A wait under way never counts for longer: its thread was cancelled, or its process was killed during the wait.
constexpr std::uint64_t kWaitMaxNs = 5'000'000'000;

std::uint64_t waiting_ns(const protocol::Member& member, std::uint64_t now_ns) {
  if (member.awaiting_calls.load(std::memory_order_relaxed) == 0) return 0;
  const std::uint64_t since_ns = member.awaiting_since_ns.load(std::memory_order_relaxed);
  return since_ns < now_ns && now_ns - since_ns < kWaitMaxNs ? now_ns - since_ns : 0;
}

}  // namespace

namespace detail {

std::atomic<bool> are_waits_counted{false};

void begin_disk_wait(Job& job) {
  if (job.member->awaiting_calls.fetch_add(1, std::memory_order_relaxed) == 0)
    job.member->awaiting_since_ns.store(gray::base::monotonic_ns(), std::memory_order_relaxed);
}

void end_disk_wait(Job& job) {
  protocol::Member& member = *job.member;
  const std::uint64_t waited_ns = waiting_ns(member, gray::base::monotonic_ns());
  std::uint64_t calls = member.awaiting_calls.load(std::memory_order_relaxed);
  // If a slot was taken over meanwhile, its counters begin at zero.
  while (calls > 0 &&
         !member.awaiting_calls.compare_exchange_weak(calls, calls - 1, std::memory_order_relaxed)) {
  }
  if (calls == 1) job.segment->stalled_ns.fetch_add(waited_ns, std::memory_order_relaxed);
}

}  // namespace detail

std::uint64_t own_stalled_ns(const Job& job, std::uint64_t now_ns) {
  std::uint64_t stalled_ns = job.segment->stalled_ns.load(std::memory_order_relaxed);
  if (job.segment->members_live.load(std::memory_order_relaxed) <= 1)
    return stalled_ns + waiting_ns(*job.member, now_ns);
  protocol::for_each_member(*job.segment, [&](const protocol::Member& member) {
    if (member.pid.load(std::memory_order_relaxed) != 0) stalled_ns += waiting_ns(member, now_ns);
  });
  return stalled_ns;
}

}  // namespace discnice::guest
