// SPDX-License-Identifier: MIT
#include "tools/discnice/observe/verification.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace discnice::guest {
namespace {

using gray::base::raw_syscall;
using protocol::ClassTotals;

constexpr std::uint64_t kUnitBytes = 512;  // the unit of ru_inblock and ru_oublock
constexpr long kThisThread = 1;            // RUSAGE_THREAD, which libc shows to GNU programs only

ClassTotals& totals_of(Job& job, protocol::CallClass call_class) {
  return job.segment->classes[static_cast<unsigned>(call_class)];
}

void add(std::atomic<std::uint64_t>& sum, std::uint64_t amount) {
  if (amount != 0) sum.fetch_add(amount, std::memory_order_relaxed);
}

}  // namespace

ThreadAccount read_thread_account() {
  rusage usage{};
  if (gray::base::is_raw_error(raw_syscall(SYS_getrusage, kThisThread, gray::base::word(&usage)))) return {};
  return {static_cast<std::uint64_t>(usage.ru_inblock) * kUnitBytes,
          static_cast<std::uint64_t>(usage.ru_oublock) * kUnitBytes, usage.ru_nvcsw};
}

void note_class_prediction(Job& job, protocol::CallClass call_class, const IoEstimate& estimate) {
  ClassTotals& totals = totals_of(job, call_class);
  add(totals.calls, 1);
  add(totals.predicted_read_bytes, estimate.read_bytes);
  add(totals.predicted_write_bytes, estimate.write_bytes + estimate.refund_bytes);
}

void note_class_outcome(Job& job, protocol::CallClass call_class, std::uint64_t bytes,
                        const ThreadAccount& booked) {
  ClassTotals& totals = totals_of(job, call_class);
  add(totals.bytes, bytes);
  add(totals.kernel_read_bytes, booked.read_bytes);
  add(totals.kernel_write_bytes, booked.write_bytes);
}

}  // namespace discnice::guest
