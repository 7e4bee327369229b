// SPDX-License-Identifier: MIT
#include "tools/discnice/kernel/account.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/job/budget.hpp"
#include "tools/discnice/kernel/disks.hpp"

namespace discnice::guest {
namespace {

using protocol::Counter;

constexpr std::uint64_t kUnitBytes = 512;  // the unit of ru_inblock and ru_oublock

std::atomic<bool> has_overwritten{false};              // since the last settlement
std::atomic<std::uint64_t> pending_metadata_bytes{0};  // since the last settlement

// The part of the kernel's account of this process that was already looked at. It is kept in this process and not in the segment. If damage in the segment
// made it smaller, the process would be charged again for everything that it ever moved.
std::atomic<std::uint64_t> seen_read_bytes{0};
std::atomic<std::uint64_t> seen_write_bytes{0};
std::atomic<bool> is_seen_checked{false};  // whether the numbers from the segment at the start were checked

// A new image of a process (exec) continues from the numbers that the image before it had read last. The process can have moved at most this many
// bytes since then. A larger difference means that the segment is damaged.
constexpr std::uint64_t kUnseenBytesMax = UINT64_C(256) << 20;

// Raises `seen` to `now_bytes` and returns by how much. When two threads call this at the same time, each gets a part of the growth,
// and no byte is counted twice.
std::uint64_t take_growth(std::atomic<std::uint64_t>& seen, std::uint64_t now_bytes) {
  std::uint64_t before = seen.load(std::memory_order_relaxed);
  while (now_bytes > before) {
    if (seen.compare_exchange_weak(before, now_bytes, std::memory_order_relaxed)) return now_bytes - before;
  }
  return 0;
}

// Replaces a number that cannot be this process's own by the account's number. Such a number comes from a slot that other processes share.
void check_seen(std::atomic<std::uint64_t>& seen, std::uint64_t now_bytes) {
  const std::uint64_t before = seen.load(std::memory_order_relaxed);
  if (before > now_bytes || now_bytes - before > kUnseenBytesMax)
    seen.store(now_bytes, std::memory_order_relaxed);
}

// By how much the account is above the prediction (positive) or below it (negative). The account is always right. A prediction that damaged memory has made
// wrong may change the budget only in the job's favour.
std::int64_t difference(std::uint64_t actual, std::uint64_t predicted) {
  constexpr std::uint64_t kBytesMax = UINT64_C(1) << 60U;
  if (actual >= predicted)
    return static_cast<std::int64_t>(actual - predicted < kBytesMax ? actual - predicted : kBytesMax);
  return predicted - actual < kBytesMax ? -static_cast<std::int64_t>(predicted - actual) : 0;
}

// Adds the trusted reads to the counters of all reads. They count as free unless the account shows disk reads.
void count_trusted(protocol::Member& member, bool has_needed_disk) {
  const Trust::Counted trusted = trust.take_counted();
  if (trusted.calls == 0) return;
  protocol::add(member, Counter::calls, trusted.calls);
  protocol::add(member, Counter::file_read_bytes, trusted.bytes);
  if (!has_needed_disk) trust.note_free_read(trusted.bytes);
}

void correct_budget(Job& job, std::int64_t read_bytes, std::int64_t write_bytes) {
  if (read_bytes == 0 && write_bytes == 0) return;
  book_own_traffic(job, last_disk(), read_bytes, write_bytes);
  if (read_bytes + write_bytes > 0) note_unheld(static_cast<std::uint64_t>(read_bytes + write_bytes));
  const std::uint64_t paid_ns = correct(job, read_bytes, write_bytes);
  if (paid_ns <= gray::base::monotonic_ns()) return;
  job.member->owed_until_ns.store(paid_ns, std::memory_order_relaxed);
  trust.end_term();
}

}  // namespace

std::atomic<std::uint64_t> unheld_bytes{0};

void note_unheld(std::uint64_t bytes) {
  unheld_bytes.fetch_add(bytes, std::memory_order_relaxed);
  trust.end_term();
}

std::uint64_t take_unheld() {
  if (unheld_bytes.load(std::memory_order_relaxed) == 0) return 0;
  return unheld_bytes.exchange(0, std::memory_order_relaxed);
}

void note_charge(Job& job, const Charge& charge) {
  if (charge.estimate.read_bytes != 0) trust.cool();
  if (charge.estimate.cost_bytes() == 0) return;
  protocol::add(*job.member, Counter::charged_calls, 1);
  protocol::add(*job.member, Counter::predicted_read_bytes, charge.estimate.read_bytes);
  protocol::add(*job.member, Counter::predicted_write_bytes, charge.estimate.write_bytes);
  if (charge.is_overwrite) has_overwritten.store(true, std::memory_order_relaxed);
  book_own_traffic(job, charge.disk, static_cast<std::int64_t>(charge.estimate.read_bytes),
                   static_cast<std::int64_t>(charge.estimate.write_bytes));
  if (!charge.is_ledger_kept) return;
  job.member->pending_read_bytes.fetch_add(charge.estimate.read_bytes, std::memory_order_relaxed);
  job.member->pending_write_bytes.fetch_add(charge.estimate.write_bytes, std::memory_order_relaxed);
}

void note_metadata(Job& job, std::uint64_t bytes, protocol::Disk* disk) {
  protocol::add(*job.member, Counter::predicted_write_bytes, bytes);
  book_own_traffic(job, disk, 0, static_cast<std::int64_t>(bytes));
  pending_metadata_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

std::uint64_t settle(Job& job) {
  if (job.book_from_outside != nullptr) {
    job.book_from_outside(job.watcher);
    return 0;
  }
  // A vfork child runs on its parent's memory but has an account of its own. It must not settle the parent's predictions.
  if (static_cast<std::uint32_t>(gray::base::raw_syscall(SYS_getpid)) != job.pid) return 0;
  leave_when_other_user();  // the process may have changed its user by a system call of its own
  return settle_own(job, gray::base::monotonic_coarse_ns());
}

std::uint64_t settle_own(Job& job, std::uint64_t now_ns) {
  rusage usage{};
  if (gray::base::is_raw_error(gray::base::raw_syscall(SYS_getrusage, RUSAGE_SELF, gray::base::word(&usage))))
    return 0;
  protocol::Member& member = *job.member;
  member.settled_at_ns.store(now_ns, std::memory_order_relaxed);
  protocol::stay_seen(*job.segment, member);
  trust.begin_term(now_ns + kStaleNs);
  const std::uint64_t all_read_bytes = static_cast<std::uint64_t>(usage.ru_inblock) * kUnitBytes;
  const std::uint64_t all_written_bytes = static_cast<std::uint64_t>(usage.ru_oublock) * kUnitBytes;
  if (!is_seen_checked.load(std::memory_order_relaxed)) {
    check_seen(seen_read_bytes, all_read_bytes);
    check_seen(seen_write_bytes, all_written_bytes);
    is_seen_checked.store(true, std::memory_order_relaxed);
  }
  const std::uint64_t read_bytes = take_growth(seen_read_bytes, all_read_bytes);
  const std::uint64_t write_bytes = take_growth(seen_write_bytes, all_written_bytes);
  if (read_bytes != 0) protocol::add(member, Counter::settled_read_bytes, read_bytes);
  if (write_bytes != 0) protocol::add(member, Counter::settled_write_bytes, write_bytes);
  const std::uint64_t pending_read_bytes = member.pending_read_bytes.exchange(0, std::memory_order_relaxed);
  const std::uint64_t pending_write_bytes = member.pending_write_bytes.exchange(0, std::memory_order_relaxed);
  const auto metadata_bytes =
      static_cast<std::int64_t>(pending_metadata_bytes.exchange(0, std::memory_order_relaxed));
  count_trusted(member, read_bytes > 0);
  if (read_bytes > 0) trust.cool();
  const bool is_excess_doubtful = has_overwritten.exchange(false, std::memory_order_relaxed);
  if (job.segment->options.is_ledger_on == 0) return read_bytes;
  std::int64_t writes = difference(write_bytes, pending_write_bytes);
  if (writes > 0) writes = is_excess_doubtful || writes < metadata_bytes ? 0 : writes - metadata_bytes;
  const std::int64_t reads = difference(read_bytes, pending_read_bytes);
  protocol::add(member, Counter::corrected_read_bytes, static_cast<std::uint64_t>(reads));
  protocol::add(member, Counter::corrected_write_bytes, static_cast<std::uint64_t>(writes));
  correct_budget(job, reads, writes);
  return read_bytes;
}

void begin_account(const Job& job, protocol::JoinKind kind) {
  seen_read_bytes.store(protocol::get(*job.member, Counter::settled_read_bytes), std::memory_order_relaxed);
  seen_write_bytes.store(protocol::get(*job.member, Counter::settled_write_bytes), std::memory_order_relaxed);
  is_seen_checked.store(false, std::memory_order_relaxed);
  if (!protocol::is_shared_slot(*job.segment, *job.member)) return;
  // A shared slot holds the sum of all processes that share it. A forked child begins with nothing. A new image cannot know which bytes the image before it had
  // settled, and assumes that all bytes were settled.
  rusage usage{};
  if (kind == protocol::JoinKind::after_exec)
    gray::base::raw_syscall(SYS_getrusage, RUSAGE_SELF, gray::base::word(&usage));
  seen_read_bytes.store(static_cast<std::uint64_t>(usage.ru_inblock) * kUnitBytes, std::memory_order_relaxed);
  seen_write_bytes.store(static_cast<std::uint64_t>(usage.ru_oublock) * kUnitBytes,
                         std::memory_order_relaxed);
  is_seen_checked.store(true, std::memory_order_relaxed);
}

void refund(Job& job, std::uint64_t bytes) {
  // No file holds more bytes. A larger number means that the table of dirty data is damaged.
  constexpr std::uint64_t kBytesMax = UINT64_C(1) << 60U;
  if (bytes == 0 || bytes > kBytesMax) return;
  protocol::add(*job.member, Counter::predicted_write_bytes,
                0 - bytes);  // unsigned wrap: only the sum over all members matters
  correct_budget(job, 0, -static_cast<std::int64_t>(bytes));  // no such write will come to the disk
}

}  // namespace discnice::guest
