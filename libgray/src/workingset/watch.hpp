// SPDX-License-Identifier: MIT
// watch: measures how much of its memory a process has used since its marks were cleared.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "libgray/src/memory/pools.hpp"
#include "libgray/src/workingset/look.hpp"
#include "toolbox/base/fd.hpp"
#include "toolbox/base/result.hpp"

namespace gray::workingset {

struct Look {
  std::uint64_t since_ns =
      0;  ///< time from the clearing to the middle of the reading; 0: the marks were never cleared, and date from the start of the process
  MemorySums sums;
  std::uint64_t cost_ns = 0;  ///< time spent on the clearing and on all readings since
  std::uint32_t doubts = 0;   ///< Doubt, or-ed
};

/// Watches one process while it runs one program. One thread at a time.
class Watch {
 public:
  explicit Watch(pid_t pid);

  /// 0, or the reason why the process cannot be watched: -ESRCH, -EACCES, -ENOTSUP, -EMFILE.
  [[nodiscard]] int error() const { return error_; }

  /// Clears the marks. 0 or a negative errno; -ESRCH: the process has ended or runs another program.
  int clear();

  /// Errors as clear().
  base::Result<Look> look();

 private:
  int open(pid_t pid);

  memory::HostAccounts accounts_;
  base::ScopedFd sums_;
  base::ScopedFd marks_;
  std::string text_;
  std::uint64_t cleared_at_ns_ = 0;
  std::uint64_t cost_ns_ = 0;
  double rounds_at_clearing_ = 0;
  std::uint32_t doubts_ = 0;
  std::optional<MemorySums> before_;
  int error_;  // the last member, because open() uses the others
};

}  // namespace gray::workingset
