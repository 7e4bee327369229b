// SPDX-License-Identifier: MIT
// watch: finds how much of its memory one process has used since its marks were cleared.
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
      0;  ///< from the clearing to the middle of the look; 0: nothing was cleared, and the marks are since the process began
  MemorySums sums;
  std::uint64_t cost_ns = 0;  ///< of the clearing and all looks since
  std::uint32_t doubts = 0;   ///< Doubt, or-ed
};

/// A watch over one process, for as long as it executes one program. One thread at a time.
class Watch {
 public:
  explicit Watch(pid_t pid);

  /// 0, or the reason why nothing can be watched: -ESRCH, -EACCES, -ENOTSUP, -EMFILE.
  [[nodiscard]] int error() const { return error_; }

  /// Clears the marks. Returns 0 or a negative errno; -ESRCH: the process has ended or executes another program.
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
  int error_;  // last: to open uses the others
};

}  // namespace gray::workingset
