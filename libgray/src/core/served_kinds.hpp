// SPDX-License-Identifier: MIT
// served_kinds: file systems whose files come from a server, on the network or in user space. The server has a cache of its own, and the files have no place on a disk of this
// host.
#pragma once

#include <cstdint>

namespace gray::core {

/// `kind` is the number that statfs(2) gives. Pure.
constexpr bool is_served(std::uint64_t kind) {
  constexpr std::uint64_t kServed[] = {
      0x6969,      // NFS
      0x517b,      // SMB
      0xff534d42,  // CIFS
      0xfe534d42,  // SMB2
      0x0bd00bd0,  // Lustre
      0x00c36400,  // Ceph
      0x01021997,  // 9P
      0x5346414f,  // AFS
      0x47504653,  // GPFS
      0x65735546,  // FUSE
  };
  for (const std::uint64_t served : kServed)
    if (kind == served) return true;
  return false;
}

}  // namespace gray::core
