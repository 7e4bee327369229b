// SPDX-License-Identifier: MIT
// readahead_setting: how far the kernel reads ahead on a file system, as /sys tells.
//
// Knowledge assumed: the window is a setting of the backing device (struct backing_dev_info). A file system on one block device uses the backing
//   device of that block device, which is found by the device's number. btrfs has a backing device of its own, with a window of 4 MiB unless it is
//   set, because its files may lie on several devices. /sys/fs/btrfs has a link to this backing device, by the file system's UUID. For btrfs's
//   backing device the kernel has no size of the largest request. It uses its default read-ahead window as that size (bdi_alloc() in
//   mm/backing-dev.c).
// Output observed: read_ahead_kb, max_sectors_kb.
// What breaks it: a /sys that is not mounted. Then the default of most distributions is assumed.
#pragma once

#include <cstdint>

namespace discnice::guest {

struct ReadaheadSetting {
  long window_kib = -1;   // -1: not known
  long request_kib = -1;  // the largest request
};

/// The setting of the file system with this device number, on which the open file `fd` lies. `magic` is the file system's type, as statfs() returns it.
ReadaheadSetting read_readahead_setting(int fd, std::uint64_t device_number, unsigned long magic);

}  // namespace discnice::guest
