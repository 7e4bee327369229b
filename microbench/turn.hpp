// SPDX-License-Identifier: MIT
// turn: allows only one measurement of this host at a time, for all users together.
//
// A name in the abstract socket space is held by a descriptor alone. It needs no folder and no privilege, it vanishes with the process however the process ends, and every user
// of the host (of its network namespace) sees it.
#pragma once

#include "toolbox/base/fd.hpp"

namespace microbench {

class Turn {
 public:
  Turn();
  /// False while another run measures.
  [[nodiscard]] bool is_ours() const { return is_ours_; }

 private:
  gray::base::ScopedFd socket_;
  bool is_ours_ = true;
};

}  // namespace microbench
