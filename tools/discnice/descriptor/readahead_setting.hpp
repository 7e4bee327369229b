// SPDX-License-Identifier: MIT
// readahead_setting: reads from /sys how far the kernel reads ahead on a file system.
//
// Knowledge assumed: the window is a setting of the backing device (struct backing_dev_info). A file system on one block device has the setting of that device, which is found by
// the device's number. btrfs has a setting of its own (4 MiB by default), because its files may lie on several devices. It is linked from /sys/fs/btrfs, by the file system's
// UUID. For such a one the
//   kernel knows no largest request, and takes its default window for it (bdi_alloc() in mm/backing-dev.c).
// Output observed: read_ahead_kb, max_sectors_kb.
// What breaks it: a /sys that is not mounted. Then the default of most distributions is believed.
#pragma once

#include <cstdint>

namespace discnice::guest {

struct ReadaheadSetting {
  long window_kib = -1;   // -1: not told
  long request_kib = -1;  // the largest request
};

/// The setting of the file system with this device number, on which the open file `fd` lies. `magic` is the magic number of the file system, from statfs().
ReadaheadSetting read_readahead_setting(int fd, std::uint64_t device_number, unsigned long magic);

}  // namespace discnice::guest
