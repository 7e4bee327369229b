// SPDX-License-Identifier: MIT
// account: settles the predictions by the kernel's own account of this process.
//
// Knowledge assumed: ru_inblock of getrusage() counts the bytes that this process made the kernel read from disk, and ru_oublock the pages that it made dirty, both in units of
// 512 bytes (include/linux/task_io_accounting_ops.h). They count every call and every page fault.
// Output observed: their growth since the last look.
// Inference drawn: by how much the predictions were too low or too high. Reads settle by the account. For writes the account is a bound only: a small
//   overwrite in a large folio is booked as the whole folio, so while existing data is being overwritten an excess is not charged.
// What breaks it: file systems that keep no account (Device::is_ledger_kept), whose predictions are left as they are.
#pragma once

#include <atomic>
#include <cstdint>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/protocol/members.hpp"

namespace discnice::guest {

/// The charge of one call to the account and to the budget.
struct Charge {
  IoEstimate estimate;
  bool is_ledger_kept = true;
  protocol::Disk* disk = nullptr;  // where it happens, if known
  bool is_overwrite =
      false;  // part of the file existed before: an excess in the account may be a large folio
};

/// To be called when the process has taken a slot, before it settles. Bytes that the kernel has booked beyond the slot's counters are new.
void begin_account(const Job& job, protocol::JoinKind kind);

/// Notes how much a call will cost. Call this just before the call, after any wait.
void note_charge(Job& job, const Charge& charge);

/// Notes metadata that a call makes dirty. The kernel books it to the process or, with a journal, to the journal's thread. The account is right in both cases.
void note_metadata(Job& job, std::uint64_t bytes, protocol::Disk* disk);

/// Reads the kernel's account now, and corrects the job's budget by what the predictions missed. Returns how many bytes the kernel booked as read from disk since the last
/// settlement.
std::uint64_t settle(Job& job);

/// The same if the calling process is known to be the member, at this instant of the coarse clock.
std::uint64_t settle_own(Job& job, std::uint64_t now_ns);

/// After this time a settlement is stale: one tick of the coarse clock on most kernels.
inline constexpr std::uint64_t kStaleNs = 4'000'000;

/// True when the last settlement is stale.
inline bool is_settlement_stale(const Job& job) {
  return gray::base::monotonic_coarse_ns() - job.member->settled_at_ns.load(std::memory_order_relaxed) >=
         kStaleNs;
}

/// Settles if the last settlement is stale, or if the bytes read on trust since then have reached their limit. For calls that were predicted to need no disk.
inline std::uint64_t settle_if_stale(Job& job) {
  return is_settlement_stale(job) || trust.is_used_up() ? settle(job) : 0;
}

/// Notes bytes that were moved without being held back by a policy. The next operation pays for them.
void note_unheld(std::uint64_t bytes);

/// How much the account showed beyond the predictions that no policy has held back yet. The next operation pays for it. Each byte is returned once.
std::uint64_t take_unheld();

/// True if there are such bytes. One load.
extern __attribute__((visibility("hidden"))) std::atomic<std::uint64_t> unheld_bytes;
__attribute__((always_inline)) inline bool has_unheld() {
  return unheld_bytes.load(std::memory_order_relaxed) != 0;
}

/// Gives back the bytes that a removal saved the disk.
void refund(Job& job, std::uint64_t bytes);

/// True while the process owes bytes from before. An instant that has passed is forgotten. One or two nanoseconds if there is none.
inline bool has_debt(Job& job) {
  std::uint64_t owed_ns = job.member->owed_until_ns.load(std::memory_order_relaxed);
  if (owed_ns == 0) return has_unheld();
  if (owed_ns > gray::base::monotonic_coarse_ns()) return true;
  job.member->owed_until_ns.compare_exchange_strong(owed_ns, 0, std::memory_order_relaxed);
  return has_unheld();
}

/// Whether the process owes nothing, without reading the clock. It is also false for a debt whose time has passed.
__attribute__((always_inline)) inline bool is_without_debt(const Job& job) {
  return job.member->owed_until_ns.load(std::memory_order_relaxed) == 0 && !has_unheld();
}

/// True if the debt of the process will not be paid within this time.
inline bool owes_beyond(const Job& job, std::uint64_t within_ns) {
  return job.member->owed_until_ns.load(std::memory_order_relaxed) >
         gray::base::monotonic_coarse_ns() + within_ns;
}

}  // namespace discnice::guest
