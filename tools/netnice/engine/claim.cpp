// SPDX-License-Identifier: MIT
#include "tools/netnice/engine/claim.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

namespace netnice {

Claim::Claim(pid_t pid)
    : file_(gray::base::ScopedFd::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY)) {}

bool Claim::take() const {
  return flock(file_.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace netnice
