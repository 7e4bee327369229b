// SPDX-License-Identifier: MIT
// turn: one measurement of this host at a time, whoever makes it.
//
// A name in the abstract socket space is held by a descriptor alone: it needs no folder and no right, is gone
// with the process however that ends, and every user of the host (of its network namespace) sees it.
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
