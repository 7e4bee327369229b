// SPDX-License-Identifier: MIT
#include "tools/discnice/descriptor/readahead_setting.hpp"

#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/short_text.hpp"

namespace discnice::guest {
namespace {

using gray::base::append_number;
using gray::base::append_text;
using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;

constexpr std::size_t kPathMax = 128;
constexpr long kDefaultWindowKib = 128;  // VM_READAHEAD_PAGES

// Reads a small decimal number; -1 if there is none.
long read_number(const char* path) {
  const long fd = raw_syscall(SYS_openat, AT_FDCWD, word(path), O_RDONLY | O_CLOEXEC, 0);
  if (is_raw_error(fd)) return -1;
  char text[24];
  const long length = raw_syscall(SYS_read, fd, word(text), sizeof text);
  raw_syscall(SYS_close, fd);
  if (length <= 0 || text[0] < '0' || text[0] > '9') return -1;
  long value = 0;
  for (long i = 0; i < length && text[i] >= '0' && text[i] <= '9'; ++i) value = value * 10 + (text[i] - '0');
  return value;
}

// Reads a number from /sys/<folder>/MAJOR:MINOR<file>.
long read_setting(const char* folder, std::uint64_t number, const char* file) {
  char path[kPathMax];
  char* out = append_text(path, folder);
  out = append_number(out, major(number));
  out = append_text(out, ":");
  out = append_number(out, minor(number));
  *append_text(out, file) = '\0';
  return read_number(path);
}

// In the spelling of /sys: 8, 4, 4, 4 and 12 digits.
char* append_uuid(char* out, const unsigned char (&uuid)[BTRFS_FSID_SIZE]) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (int i = 0; i < BTRFS_FSID_SIZE; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *out++ = '-';
    *out++ = kDigits[uuid[i] >> 4U];
    *out++ = kDigits[uuid[i] & 15U];
  }
  return out;
}

long read_btrfs_window(int fd) {
  btrfs_ioctl_fs_info_args info{};
  if (is_raw_error(raw_syscall(SYS_ioctl, fd, BTRFS_IOC_FS_INFO, word(&info)))) return -1;
  char path[kPathMax];
  char* out = append_uuid(append_text(path, "/sys/fs/btrfs/"), info.fsid);
  *append_text(out, "/bdi/read_ahead_kb") = '\0';
  return read_number(path);
}

}  // namespace

ReadaheadSetting read_readahead_setting(int fd, std::uint64_t device_number, unsigned long magic) {
  ReadaheadSetting setting;
  if (magic == BTRFS_SUPER_MAGIC) {
    setting.window_kib = read_btrfs_window(fd);
    setting.request_kib = kDefaultWindowKib;
    return setting;
  }
  setting.window_kib = read_setting("/sys/class/bdi/", device_number, "/read_ahead_kb");
  if (setting.window_kib < 0)
    setting.window_kib = read_setting("/sys/dev/block/", device_number, "/queue/read_ahead_kb");
  if (setting.window_kib < 0)
    setting.window_kib = read_setting("/sys/dev/block/", device_number, "/../queue/read_ahead_kb");
  setting.request_kib = read_setting("/sys/dev/block/", device_number, "/queue/max_sectors_kb");
  if (setting.request_kib < 0)
    setting.request_kib = read_setting("/sys/dev/block/", device_number, "/../queue/max_sectors_kb");
  return setting;
}

}  // namespace discnice::guest
