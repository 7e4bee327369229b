// SPDX-License-Identifier: MIT
// device_identity: a name for the file system or device behind a path that stays the same over reboots.
//
// Knowledge assumed: device numbers are given out anew at each boot, the identifier inside a file system and the serial number
// of a disk stay the same. Observed: FS_IOC_GETFSUUID (Linux 6.9), /dev/disk/by-uuid, /sys/dev/block, statfs(2). Inferred: the
// name is taken from the first of these sources that has one. What breaks it: copies of a file system made block by block.
#pragma once

#include <string>

#include "toolbox/base/result.hpp"

namespace gray::repo {

/// "uuid:...", "serial:...", "fsid:..." or, where nothing better is known, "dev:8:1", for the file system
/// that holds `path` (or the device itself, where path is a block device). The result can follow the @ in a parameter's name. Fails with the errno of opening the path. Opens the
/// path and /dev, /sys files for a
/// moment; any thread.
base::Result<std::string> device_identity(const std::string& path);

}  // namespace gray::repo
