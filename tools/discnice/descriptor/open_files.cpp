// SPDX-License-Identifier: MIT
#include "tools/discnice/descriptor/open_files.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;

using detail::kChunkFiles;
using detail::kChunksMax;
std::atomic<std::uint32_t> openings;

OpenFile* map_chunk(std::atomic<OpenFile*>& place) {
  constexpr std::size_t kBytes = sizeof(OpenFile) * kChunkFiles;
  const long address =
      raw_syscall(SYS_mmap, 0, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (is_raw_error(address)) return nullptr;
  auto* mapped = reinterpret_cast<OpenFile*>(address);  // zero bytes are valid entries: unknown and unlocked
  OpenFile* expected = nullptr;
  if (place.compare_exchange_strong(expected, mapped, std::memory_order_acq_rel)) return mapped;
  raw_syscall(SYS_munmap, address, kBytes);
  return expected;
}

bool stat_fd(int fd, struct stat* status) {
  return !is_raw_error(raw_syscall(SYS_fstat, fd, word(status)));
}

// Asked once in some milliseconds. When a program changes its user and opens a file within one tick, the question about that file's pages may be refused.
uid_t effective_user() {
  static constinit std::atomic<std::uint64_t> seen{
      0};  // the tick in the upper half, the user in the lower half
  constexpr std::uint64_t kTickNs = 4'000'000;
  const std::uint64_t tick = (gray::base::monotonic_coarse_ns() / kTickNs) << 32U;
  const std::uint64_t known = seen.load(std::memory_order_relaxed);
  if (tick != 0 && (known & ~UINT64_C(0xffffffff)) == tick) return static_cast<uid_t>(known);
  const auto user = static_cast<uid_t>(raw_syscall(SYS_geteuid));
  seen.store(tick | user, std::memory_order_relaxed);
  return user;
}

bool is_own(const OpenFile& file) {
  const uid_t user = effective_user();
  return user == 0 || file.owner_uid == user;
}

std::uint64_t size_of(int fd, const struct stat& status) {
  if (!S_ISBLK(status.st_mode)) return static_cast<std::uint64_t>(status.st_size);
  std::uint64_t bytes = 0;
  raw_syscall(SYS_ioctl, fd, static_cast<long>(BLKGETSIZE64), word(&bytes));
  return bytes;
}

}  // namespace

// Zero bytes are valid entries, as in a mapped chunk, and no constructor may run. Of the chunks the first is never mapped.
alignas(4096) constinit unsigned char detail::first_open_files[kChunkFiles * sizeof(OpenFile)];
std::atomic<OpenFile*> detail::open_file_chunks[kChunksMax];

OpenFile* detail::map_open_file(unsigned number) {
  if (number >= kChunkFiles * kChunksMax) return nullptr;
  OpenFile* chunk = map_chunk(open_file_chunks[number / kChunkFiles]);
  return chunk == nullptr ? nullptr : &chunk[number % kChunkFiles];
}

void forget_open_files(unsigned first, unsigned last) {
  const unsigned end = last < kChunkFiles * kChunksMax ? last + 1 : kChunkFiles * kChunksMax;
  for (unsigned number = first; number < end; ++number) {
    OpenFile* file = known_open_file(static_cast<int>(number));
    if (file != nullptr)
      forget(*file);
    else
      number |= kChunkFiles - 1;  // no entry of the whole chunk is known
  }
}

void classify(protocol::Segment& segment, OpenFile& file, int fd) {
  struct stat status {};
  if (stat_fd(fd, &status))
    classify(segment, file, fd, status);  // a bad descriptor stays unknown; the call itself will report it
}

void classify(protocol::Segment& segment, OpenFile& file, int fd, const struct stat& status) {
  file.is_block_device = S_ISBLK(status.st_mode);
  if (!S_ISREG(status.st_mode) && !file.is_block_device) {
    file.file_class.store(FileClass::free, std::memory_order_release);
    return;
  }
  // The entry is written before it is read. A page whose first access is a write costs one page fault. A page whose first
  // access is a read costs two.
  const std::uint32_t opening = openings.fetch_add(1, std::memory_order_relaxed) + 1;
  Device* device = device_of(segment, fd, file.is_block_device ? status.st_rdev : status.st_dev);
  if (device == nullptr || (device->is_free && !file.is_block_device)) {
    file.file_class.store(FileClass::free, std::memory_order_release);
    return;
  }
  file.has_details = false;
  file.owner_uid = status.st_uid;
  file.opening = opening;
  file.can_count = true;  // until the kernel refuses
  file.has_counted = false;
  file.device = device;
  file.id = {status.st_dev, status.st_ino};
  file.size_bytes = size_of(fd, status);
  file.is_size_fresh = true;
  file.unsent_bytes = 0;
  file.far_error = 0;
  file.awaited_reads.store(0, std::memory_order_relaxed);
  file.steps[0] = file.steps[1] = {};
  file.state = predictor::FileState{};
  file.brought.forget();
  file.grown = {};
  file.is_read_again = file.is_left_to_program = false;
  file.fetched_count = 0;
  file.in_flight = {};
  file.state.limits = device->limits;
  file.file_class.store(FileClass::charged, std::memory_order_release);
}

void set_details(OpenFile& file, long flags, bool is_own) {
  file.is_direct = (flags & O_DIRECT) != 0;
  file.is_append = (flags & O_APPEND) != 0;
  file.is_synchronous = (flags & O_DSYNC) != 0;  // O_SYNC contains this bit, too
  file.is_own = is_own;
  file.has_details = true;
}

void learn_details(OpenFile& file, int fd) {
  if (file.has_details) return;
  const std::uint32_t flags = file.opening_flags.load(std::memory_order_relaxed);
  const bool is_known = file.was_opened.load(std::memory_order_relaxed) && flags != 0;
  if (!is_known) return ask_details(file, fd);
  set_details(file, static_cast<long>(flags & ~OpenFile::kHasFlags), is_own(file));
}

void ask_details(OpenFile& file, int fd) {
  if (file.has_details && file.opening_flags.exchange(0, std::memory_order_relaxed) == 0) return;
  set_details(file, raw_syscall(SYS_fcntl, fd, F_GETFL, 0), is_own(file));
}

bool refresh_size(OpenFile& file, int fd) {
  struct stat status {};
  if (!stat_fd(fd, &status)) return false;
  if (!(FileId{status.st_dev, status.st_ino} == file.id)) {
    forget_open_file(fd);
    return false;
  }
  file.size_bytes = size_of(fd, status);
  return true;
}

}  // namespace discnice::guest
