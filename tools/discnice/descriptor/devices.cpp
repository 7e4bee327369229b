// SPDX-License-Identifier: MIT
#include "tools/discnice/descriptor/devices.hpp"

#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/readahead_setting.hpp"
#include "tools/discnice/outputs/disk_below.hpp"
#include "tools/discnice/protocol/device_facts.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;

constexpr unsigned kDevicesMax = 32;
constexpr std::uint64_t kPagesPerKib = kPageBytes / 1024;
constexpr unsigned long kNfsMagic = 0x6969;
constexpr unsigned long kFuseMagic = 0x65735546;
constexpr unsigned long kXfsMagic = 0x58465342;
constexpr unsigned long kConfigfsMagic = 0x62656570;
constexpr unsigned long kFusectlMagic = 0x65735543;
constexpr unsigned long kMqueueMagic = 0x19800202;

Device devices[kDevicesMax];
std::atomic<unsigned> devices_claimed{0};
std::atomic<bool> is_ready[kDevicesMax];

// File systems that live in memory or show data of the kernel. Nothing on them reaches a disk.
bool is_memory_file_system(unsigned long magic) {
  static constexpr unsigned long kMagics[] = {
      TMPFS_MAGIC,         RAMFS_MAGIC,      PROC_SUPER_MAGIC, SYSFS_MAGIC,        CGROUP_SUPER_MAGIC,
      CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC,    TRACEFS_MAGIC,    DEVPTS_SUPER_MAGIC, HUGETLBFS_MAGIC,
      BPF_FS_MAGIC,        SECURITYFS_MAGIC, PSTOREFS_MAGIC,   EFIVARFS_MAGIC,     NSFS_MAGIC,
      BINFMTFS_MAGIC,      kConfigfsMagic,   kFusectlMagic,    kMqueueMagic};
  for (const unsigned long known : kMagics) {
    if (known == magic) return true;
  }
  return false;
}

// File systems on a block device, and file systems that charge reads to the reader although their device number is not the number of a
// block device.
bool keeps_ledger(unsigned long magic, std::uint64_t number) {
  return major(number) != 0 || magic == BTRFS_SUPER_MAGIC || magic == OVERLAYFS_SUPER_MAGIC ||
         magic == kNfsMagic || magic == kXfsMagic;
}

// The first number of the kernel's release times 1000, plus the second number; 0 when the release is not known.
int kernel_release() {
  struct utsname kernel {};
  if (is_raw_error(raw_syscall(SYS_uname, word(&kernel)))) return 0;
  int numbers[2] = {};
  const char* text = kernel.release;
  for (int& number : numbers) {
    while (*text >= '0' && *text <= '9') number = number * 10 + (*text++ - '0');
    if (*text == '.') ++text;
  }
  return 1000 * numbers[0] + numbers[1];
}

// XFS reads files into large folios since 5.18, ext4 since 6.16, and btrfs since some release after 6.18. A folio of btrfs has at most as many blocks as a word has bits.
std::uint32_t folio_order_max(unsigned long magic, int release) {
  constexpr std::uint32_t kBtrfsFolioOrderMax = 6;
  if (magic == kXfsMagic && release >= 5018) return predictor::kFolioOrderMax;
  if (magic == EXT4_SUPER_MAGIC && release >= 6016) return predictor::kFolioOrderMax;
  if (magic == BTRFS_SUPER_MAGIC && release >= 6019) return kBtrfsFolioOrderMax;
  return 0;
}

std::uint64_t pages_of(long kib) {
  return static_cast<std::uint64_t>(kib) / kPagesPerKib;
}

void read_limits(Device& device, int fd, unsigned long magic) {
  const ReadaheadSetting setting = read_readahead_setting(fd, device.number, magic);
  if (setting.window_kib >= 0) device.limits.window_pages_max = pages_of(setting.window_kib);
  device.limits.request_pages_max =
      setting.request_kib >= 0 ? pages_of(setting.request_kib) : device.limits.window_pages_max;
}

// ext4_release_file() and ext4_rename() start the write-back of a file that was emptied, even if it was empty before, and of a file that replaces another
// (auto_da_alloc). xfs_file_release() and btrfs_release_file() start the write-back of a file that lost data. XFS and btrfs write inodes back much later, through a log.
void learn_habits(Device& device, unsigned long magic) {
  constexpr std::uint64_t kExt4InodeBytes = 256;  // mke2fs's choice since 2008
  if (magic == EXT4_SUPER_MAGIC) {
    device.inode_bytes = kExt4InodeBytes;
    device.flush_of_emptied = FlushOfEmptied::always;
    device.is_flushed_by_renaming = true;
  } else if (magic == kXfsMagic || magic == BTRFS_SUPER_MAGIC) {
    device.flush_of_emptied = FlushOfEmptied::when_it_had_data;
  }
}

// Takes the facts that another process of the job has found out.
bool learn_from_job(const protocol::Segment& segment, Device& device, std::uint64_t now_ns) {
  protocol::DeviceFacts facts;
  if (!protocol::load_device_facts(segment, device.number, now_ns, &facts)) return false;
  device.limits.window_pages_max = facts.window_pages;
  device.limits.request_pages_max = facts.request_pages;
  device.limits.folio_order_max = facts.folio_order;
  device.counted_disk = facts.disk;
  return true;
}

void learn(protocol::Segment& segment, Device& device, int fd, std::uint64_t number) {
  device.number = number;
  struct statfs file_system {};
  if (is_raw_error(raw_syscall(SYS_fstatfs, fd, word(&file_system)))) return;
  const auto magic = static_cast<unsigned long>(file_system.f_type);
  device.is_free = is_memory_file_system(magic);
  device.is_ledger_kept = keeps_ledger(magic, number);
  device.is_served = magic == kFuseMagic;
  device.block_bytes = static_cast<std::uint64_t>(file_system.f_bsize);
  // Overlay gives a count of 0 for every file, whether it is cached or not.
  if (magic == OVERLAYFS_SUPER_MAGIC)
    device.count_verdict.store(CountVerdict::lies, std::memory_order_relaxed);
  if (device.is_free) return;
  const int release = kernel_release();
  const gray::base::ReadaheadRules measured = protocol::readahead_rules(segment.options);
  device.limits.rules =
      measured <= gray::base::kAllReadaheadRules ? measured : gray::base::rules_of_release(release);
  const std::uint64_t now_ns = gray::base::monotonic_coarse_ns();
  if (!learn_from_job(segment, device, now_ns)) {
    read_limits(device, fd, magic);
    device.limits.folio_order_max = folio_order_max(magic, release);
    protocol::store_device_facts(
        segment, number, now_ns,
        {device.limits.window_pages_max, device.limits.request_pages_max, device.limits.folio_order_max});
  }
  if (device.counted_disk == 0 && major(number) == 0 && !outputs::find_mount_id(fd, &device.mount_id))
    device.mount_id = 0;
  learn_habits(device, magic);
}

}  // namespace

Device* known_device(std::uint64_t number) {
  const unsigned claimed = devices_claimed.load(std::memory_order_relaxed);
  for (unsigned i = 0; i < claimed && i < kDevicesMax; ++i) {
    if (is_ready[i].load(std::memory_order_acquire) && devices[i].number == number) return &devices[i];
  }
  return nullptr;
}

Device* device_of(protocol::Segment& segment, int fd, std::uint64_t number) {
  if (Device* known = known_device(number); known != nullptr) return known;
  const unsigned claimed = devices_claimed.load(std::memory_order_relaxed);
  // Two threads that use a new device at the same time make two entries for this device. A second entry is harmless, so no lock is
  // needed.
  const unsigned place =
      claimed < kDevicesMax ? devices_claimed.fetch_add(1, std::memory_order_relaxed) : kDevicesMax;
  if (place >= kDevicesMax) return nullptr;
  learn(segment, devices[place], fd, number);
  is_ready[place].store(true, std::memory_order_release);  // pairs with the acquire above
  return &devices[place];
}

}  // namespace discnice::guest
