// SPDX-License-Identifier: MIT
// account: corrects the predictions by the kernel's own account of this process.
//
// Knowledge assumed: getrusage() ru_inblock and ru_oublock count, in units of 512 bytes, the data that this process made the kernel read from the
//   disk and the pages that it dirtied (include/linux/task_io_accounting_ops.h), no matter which call or page fault caused the reads and writes.
// Output observed: the growth of both counters since the last settlement.
// Inference drawn: by how much the predictions were too low or too high. For reads the account counts as exact. For writes the account is only an upper
//   bound: for a small overwrite in a large folio the kernel counts the whole folio. So, if a call has overwritten existing data since the last look,
//   written bytes that the account shows beyond the predictions are not added.
// What breaks it: file systems that keep no account (Device::is_ledger_kept). Their predictions stay as they are.
#pragma once

#include <atomic>
#include <cstdint>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/protocol/members.hpp"

namespace discnice::guest {

/// What one call adds to the account and to the budget.
struct Charge {
  IoEstimate estimate;
  bool is_ledger_kept = true;
  protocol::Disk* disk = nullptr;  // the disk of the call, if known
  bool is_overwrite =
      false;  // a part of the file existed before: an excess in the account may be a large folio
};

/// Call this when the process has taken a slot, and before it settles. Bytes that the kernel has charged to the process beyond the slot's numbers are new.
void begin_account(const Job& job, protocol::JoinKind kind);

/// Notes the cost of a call. Call this just before the call, after any wait.
void note_charge(Job& job, const Charge& charge);

/// Notes metadata that a call dirties. The kernel charges it to the process or, on a file system with a journal, to the journal's thread. The settlement is right in both
/// cases.
void note_metadata(Job& job, std::uint64_t bytes, protocol::Disk* disk);

/// Reads the kernel's account now and corrects the job's budget by the error of the predictions. Returns the bytes that the kernel has charged to the process as read from
/// the disk since the last settlement.
std::uint64_t settle(Job& job);

/// Same as settle(), for callers that know that the calling process is the member. `now_ns` is on the coarse clock.
std::uint64_t settle_own(Job& job, std::uint64_t now_ns);

/// A settlement is stale after this time: one tick of the coarse clock on most kernels.
inline constexpr std::uint64_t kStaleNs = 4'000'000;

/// True when the last settlement is stale.
inline bool is_settlement_stale(const Job& job) {
  return gray::base::monotonic_coarse_ns() - job.member->settled_at_ns.load(std::memory_order_relaxed) >=
         kStaleNs;
}

/// Settles when the last settlement is stale, or when the trusted reads since then have used up their bytes. Used for calls that were predicted to
/// need no disk.
inline std::uint64_t settle_if_stale(Job& job) {
  return is_settlement_stale(job) || trust.is_used_up() ? settle(job) : 0;
}

/// Notes bytes that were moved without a wait for any policy. The next operation waits for these bytes, too.
void note_unheld(std::uint64_t bytes);

/// Returns the number of bytes beyond the predictions for which no policy has made an operation wait, and sets this number to 0.
/// The next operation waits for these bytes.
std::uint64_t take_unheld();

/// True while there are such bytes. Costs one load.
extern __attribute__((visibility("hidden"))) std::atomic<std::uint64_t> unheld_bytes;
__attribute__((always_inline)) inline bool has_unheld() {
  return unheld_bytes.load(std::memory_order_relaxed) != 0;
}

/// Gives back to the job the bytes that a removal of dirty data saved the disk.
void refund(Job& job, std::uint64_t bytes);

/// True while the process has a debt from earlier calls. A debt whose instant has passed is cleared. Costs one or two nanoseconds while there is no debt.
inline bool has_debt(Job& job) {
  std::uint64_t owed_ns = job.member->owed_until_ns.load(std::memory_order_relaxed);
  if (owed_ns == 0) return has_unheld();
  if (owed_ns > gray::base::monotonic_coarse_ns()) return true;
  job.member->owed_until_ns.compare_exchange_strong(owed_ns, 0, std::memory_order_relaxed);
  return has_unheld();
}

/// The opposite of has_debt(), but does not read the clock. So the result is also false for a debt whose instant has passed and that
/// was not cleared.
__attribute__((always_inline)) inline bool is_without_debt(const Job& job) {
  return job.member->owed_until_ns.load(std::memory_order_relaxed) == 0 && !has_unheld();
}

/// True when the process's debt is not paid within that time.
inline bool owes_beyond(const Job& job, std::uint64_t within_ns) {
  return job.member->owed_until_ns.load(std::memory_order_relaxed) >
         gray::base::monotonic_coarse_ns() + within_ns;
}

}  // namespace discnice::guest
