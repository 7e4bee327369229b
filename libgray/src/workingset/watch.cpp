// SPDX-License-Identifier: MIT
#include "libgray/src/workingset/watch.hpp"

#include <cerrno>

#include "libgray/src/os/memory_os.hpp"
#include "libgray/src/os/process_memory_os.hpp"

namespace gray::workingset {

Watch::Watch(pid_t pid) : accounts_("", std::to_string(pid)), error_(open(pid)) {
  rounds_at_clearing_ = accounts_.reclaim_rounds();
}

int Watch::open(pid_t pid) {
  const bool is_there = os::read_text("/proc/" + std::to_string(pid) + "/stat", text_) == 0;
  sums_ = os::open_memory_sums(pid);
  marks_ = os::open_use_marks(pid);
  for (const int error : {sums_.error(), marks_.error()}) {
    if (error == -ENOENT) return is_there ? -ENOTSUP : -ESRCH;
    if (error != 0) return error;
  }
  if (os::runs_guest(pid)) return -ENOTSUP;
  return os::read_again(sums_, text_);
}

int Watch::clear() {
  // clear_refs clears the marks of the program that the process runs now. So this check makes sure that it is still the same program.
  if (const int error = os::read_again(sums_, text_); error != 0) return error;
  const std::uint64_t start_ns = os::now_ns();
  if (const int error = os::clear_use_marks(marks_); error != 0) return error;
  cleared_at_ns_ = os::now_ns();
  cost_ns_ = cleared_at_ns_ - start_ns;
  rounds_at_clearing_ = accounts_.reclaim_rounds();
  doubts_ = 0;
  before_.reset();
  return 0;
}

base::Result<Look> Watch::look() {
  const std::uint64_t start_ns = os::now_ns();
  if (const int error = os::read_again(sums_, text_); error != 0) return base::Result<Look>::failure(error);
  const std::uint64_t end_ns = os::now_ns();
  const auto sums = read_sums(text_);
  if (!sums) return base::Result<Look>::failure(-ESRCH);
  cost_ns_ += end_ns - start_ns;
  doubts_ |= doubts_of(before_, *sums, accounts_.reclaim_rounds() - rounds_at_clearing_);
  before_ = sums;
  const std::uint64_t middle_ns = start_ns + (end_ns - start_ns) / 2;
  return Look{cleared_at_ns_ == 0 ? 0 : middle_ns - cleared_at_ns_, *sums, cost_ns_, doubts_};
}

}  // namespace gray::workingset
