// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/disk_flush.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/outputs/disk_below.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::monotonic_ns;
using gray::base::raw_syscall;
using gray::base::word;

// A flush shorter than kFeltNs hardly delays other programs. A flush longer than kLongNs waited for other requests as well.
constexpr std::uint64_t kFeltNs = 5'000'000;
constexpr std::uint64_t kLongNs = 500'000'000;
constexpr unsigned kSkipsMax = 64;

std::atomic<unsigned> skips_left{0};
std::atomic<unsigned> skips_next{1};

// Opens the root folder of the mount on which the file lies. Returns a raw error when the opened folder is not the root of that mount,
// because another mount may cover it.
long open_root(int fd) {
  std::uint64_t mount_id = 0;
  char path[outputs::kMountNameBytesMax];
  struct stat file {};
  struct stat root {};
  if (!outputs::find_mount_id(fd, &mount_id) || !outputs::find_mount_point(mount_id, path) ||
      is_raw_error(raw_syscall(SYS_fstat, fd, word(&file))))
    return -ENOENT;
  const long opened = raw_syscall(SYS_openat, AT_FDCWD, word(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (is_raw_error(opened)) return opened;
  if (!is_raw_error(raw_syscall(SYS_fstat, opened, word(&root))) && root.st_dev == file.st_dev) return opened;
  raw_syscall(SYS_close, opened);
  return -ENOENT;
}

void skip_more() {
  const unsigned skips = skips_next.load(std::memory_order_relaxed);
  skips_left.store(skips, std::memory_order_relaxed);
  skips_next.store(2 * skips < kSkipsMax ? 2 * skips : kSkipsMax, std::memory_order_relaxed);
}

}  // namespace

void flush_after_batch(Job& job, protocol::Disk& disk, int fd) {
  const unsigned left = skips_left.load(std::memory_order_relaxed);
  if (left > 0) return skips_left.store(left - 1, std::memory_order_relaxed);
  const long root = open_root(fd);
  if (is_raw_error(root)) return skip_more();
  const std::uint64_t start_ns = monotonic_ns();
  book_sync(job, disk);
  raw_syscall(SYS_fdatasync, root);
  book_sync(job, disk);
  raw_syscall(SYS_close, root);
  const std::uint64_t took_ns = monotonic_ns() - start_ns;
  if (took_ns < kFeltNs || took_ns > kLongNs) return skip_more();
  skips_next.store(1, std::memory_order_relaxed);
}

}  // namespace discnice::guest
