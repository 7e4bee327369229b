// SPDX-License-Identifier: MIT
// pressure: a descriptor that becomes ready when memory is scarce.
#pragma once

#include "libgray/src/memory/pools.hpp"
#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/result.hpp"

namespace gray::memory {

/// The pressure of this process's control group if that can be had, else of the host. The caller closes the descriptor. -ENOTSUP: neither can be had.
base::Result<os::EventSource> open_pressure(const HostAccounts& accounts);

}  // namespace gray::memory
