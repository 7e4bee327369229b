// SPDX-License-Identifier: MIT
// device_identity: a name for the file system or device behind a path that stays the same over reboots.
//
// Knowledge assumed: device numbers are given out anew at each boot, the identifier inside a file system and
// the serial number of a disk are not. Observed: FS_IOC_GETFSUUID (Linux 6.9), /dev/disk/by-uuid, /sys/dev/block, statfs(2). Inferred: the identity that the first working one of
// these gives. What breaks it: copies of a file system made block by block.
#pragma once

#include <string>

#include "toolbox/base/result.hpp"

namespace gray::repo {

/// Returns "uuid:...", "serial:...", "fsid:..." or, if nothing better is known, "dev:8:1" for the file system that holds `path`. If path is a block device, the result is for
/// this device. The result can stand after @ in the name of a parameter. Fails with the errno of opening the path. Opens the path and /dev, /sys files for a
/// moment; any thread.
base::Result<std::string> device_identity(const std::string& path);

}  // namespace gray::repo
