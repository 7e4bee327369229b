// SPDX-License-Identifier: MIT
// settled_call: the steps around a call whose cost is not predicted but which may still use the disk: stdio, folders, names, openings, and calls that move data in ways that
// no model predicts.
//
// Knowledge assumed: the kernel charges a read to the process before the call that caused it returns. A call that waited for the disk took a tick of
//   the coarse clock. Several short waits may together take less than one tick.
// Output observed: the coarse clock after the call; when it has moved since the last look, the kernel's account.
// Inference drawn: bytes that the account shows beyond the predictions are a debt. The debt is paid before the next call of any kind. So the program
//   gets the result of a call at once, and the result is not lost when a wait is cancelled. Only stdio waits after the call (stream_hooks.cpp).
// What breaks it: nothing is lost, but some bytes are noticed late. A program that makes no call after its last read from the disk does not wait
//   for that last read.
#pragma once

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/kernel/disk_waits.hpp"
#include "tools/discnice/kernel/progress.hpp"
#include "tools/discnice/transfer/admission.hpp"

namespace discnice::guest {

/// One call. The constructor pays debts, and the destructor looks at the account. Keeps errno.
class SettledCall {
 public:
  explicit SettledCall(Job* job) : job_(job), wait_(after_paying(job)), name_call_(job) {}
  ~SettledCall() {
    if (job_ != nullptr) settle_if_stale(*job_);
  }
  SettledCall(const SettledCall&) = delete;
  SettledCall& operator=(const SettledCall&) = delete;

 private:
  static Job* after_paying(Job* job) {
    if (job != nullptr && has_debt(*job)) pay_debt(*job);
    return job;
  }

  Job* job_;
  DiskWait wait_;
  NameCall name_call_;
};

/// Runs a call whose cost is not predicted. Before the call this function looks at the account and pays debts. While there is no debt, it costs one reading of the clock and two
/// loads.
template <typename Call>
auto run_settled(Call call) {
  Job* here = job();
  if (here != nullptr) {
    settle_if_stale(*here);
    if (has_debt(*here)) pay_debt(*here);
  }
  const NameCall name_call(here);
  return call();
}

/// Runs a call that moves data in ways that no model predicts. Debts are paid before the call, and the account is settled after it.
template <typename Call>
auto run_settled_after(Call call) {
  Job* here = job();
  if (here == nullptr) return call();
  pay_debt(*here);
  const auto result = [&] {
    const DiskWait wait(here);
    return call();
  }();
  settle(*here);
  return result;
}

}  // namespace discnice::guest
