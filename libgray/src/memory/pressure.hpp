// SPDX-License-Identifier: MIT
// pressure: a descriptor that gets ready when memory is scarce.
#pragma once

#include "libgray/src/memory/pools.hpp"
#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/result.hpp"

namespace gray::memory {

/// Of our control group if it tells, else of the host. The caller closes it. -ENOTSUP: nothing tells.
base::Result<os::EventSource> open_pressure(const HostAccounts& accounts);

}  // namespace gray::memory
