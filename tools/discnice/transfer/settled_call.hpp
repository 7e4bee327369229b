// SPDX-License-Identifier: MIT
// settled_call: what a call goes through of which nothing is predicted, and which may make the disk work all the same: stdio, folders, names, openings,
// and calls that move data in ways nobody predicts.
//
// Knowledge assumed: before a call returns, the kernel has booked to the process what the call made it read. A call that waited for the disk takes a tick of the coarse clock, or
// several such calls together take one.
// Output observed: the coarse clock after the call, and when it has moved on since the last look, the kernel's account.
// Inference drawn: what the account shows beyond the predictions is debt. It is paid before the next call of any kind, so that
//   what a call has returned is in the program's hands at once, and a wait can be cancelled without losing it. Stdio alone
//   waits after the call (stream_hooks.cpp).
// What breaks it: nothing is lost, but a wait may come late: a program that makes no call after its last cold call does not wait for it.
#pragma once

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/kernel/disk_waits.hpp"
#include "tools/discnice/kernel/progress.hpp"
#include "tools/discnice/transfer/admission.hpp"

namespace discnice::guest {

/// One call: debts are paid at its beginning, and the account is looked at at its end. errno is not changed.
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

/// Runs a call for which nothing is predicted. The account is looked at and debts are paid before it. This costs a clock read and two loads while there are no debts.
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

/// Runs a call that moves data in ways that are not predicted: debts are paid before it, and the account is settled after it.
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
