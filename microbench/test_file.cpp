// SPDX-License-Identifier: MIT
#include "microbench/test_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fmt/core.h>

#include "libgray/src/os/os.hpp"
#include "microbench/benchmark.hpp"
#include "microbench/interruption.hpp"
#include "microbench/passing_names.hpp"
#include "toolbox/base/clock.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace microbench {
namespace {

using gray::base::ScopedFd;

// The size of one write: long enough for the disk's full rate, short enough to check the time between writes.
constexpr std::uint64_t kPieceBytes = 1024 * 1024;

// The file takes no more than this part of the free disk space.
constexpr std::uint64_t kFreeDivisor = 4;

constexpr std::uint64_t kAlignmentBytes = 4096;

// The call that drops pages leaves pages that are being read or written, so it is repeated.
constexpr int kEvictTries = 50;
constexpr useconds_t kEvictPauseUs = 1000;

constexpr std::uint64_t kSelfTestPages = 16;

[[noreturn]] void give_up(const std::string& what, int error) {
  throw NotAvailable(fmt::format("{}: {}", what, gray::cli::error_text(error)));
}

void refuse_memory(int fd, const std::string& directory) {
  struct statfs info {};
  if (fstatfs(fd, &info) != 0) return;
  const auto type = static_cast<unsigned long>(info.f_type);
  if (type == TMPFS_MAGIC || type == RAMFS_MAGIC || type == HUGETLBFS_MAGIC) {
    throw NotAvailable(fmt::format("'{}' lies in memory: there is no disk to measure", directory));
  }
}

std::uint64_t free_bytes(int fd) {
  struct statvfs info {};
  if (fstatvfs(fd, &info) != 0) return 0;
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

ScopedFd make_and_remove(const std::string& directory, int flags) {
  const SignalsHeld held;
  std::string path = passing_name(directory);
  const int fd = mkostemp(path.data(), O_CLOEXEC | (flags & ~O_ACCMODE));
  if (fd < 0) give_up(fmt::format("cannot make a test file in '{}'", directory), errno);
  unlink(path.c_str());
  return ScopedFd(fd);
}

}  // namespace

ScopedFd make_nameless(const std::string& directory, int flags) {
  ScopedFd fd = ScopedFd::open(directory.c_str(), O_TMPFILE | O_RDWR | flags, S_IRUSR | S_IWUSR);
  if (fd.is_open()) return fd;
  const int error = -fd.error();
  // The file system, or its kernel, does not know O_TMPFILE.
  if (error == EOPNOTSUPP || error == EISDIR || error == EINVAL || error == ENOSYS) {
    return make_and_remove(directory, flags);
  }
  give_up(fmt::format("cannot make a test file in '{}'", directory), error);
}

void read_all(int fd, void* buffer, std::uint64_t length, std::uint64_t offset) {
  auto* to = static_cast<char*>(buffer);
  while (length > 0) {
    const ssize_t count = pread(fd, to, length, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) give_up("cannot read the test file", errno);
    if (count == 0) throw NotAvailable("the test file has shrunk");
    to += count;
    offset += static_cast<std::uint64_t>(count);
    length -= static_cast<std::uint64_t>(count);
  }
}

void write_all(int fd, const void* buffer, std::uint64_t length, std::uint64_t offset) {
  const auto* from = static_cast<const char*>(buffer);
  while (length > 0) {
    const ssize_t count = pwrite(fd, from, length, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) give_up("cannot write to the test file", count < 0 ? errno : EIO);
    from += count;
    offset += static_cast<std::uint64_t>(count);
    length -= static_cast<std::uint64_t>(count);
  }
}

void TestFile::FreeAligned::operator()(void* p) const {
  std::free(p);
}

TestFile::TestFile(const std::string& directory, std::uint64_t bytes_wanted, std::uint64_t time_max_ns,
                   const std::function<void(double)>& progress)
    : directory_(directory), random_(gray::os::fresh_seed()) {
  make_buffer();
  make_in(directory);
  fill(bytes_wanted, time_max_ns, progress);
  finish_opening();
}

TestFile::TestFile(const std::string& existing_path)
    : directory_(existing_path), is_writable_(false), random_(gray::os::fresh_seed()) {
  make_buffer();
  fd_ = ScopedFd::open(existing_path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat info {};
  if (!fd_.is_open()) give_up(fmt::format("cannot read '{}'", existing_path), -fd_.error());
  if (fstat(fd_.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    throw NotAvailable(fmt::format("'{}' is no regular file", existing_path));
  }
  refuse_memory(fd_.get(), existing_path);
  bytes_ = static_cast<std::uint64_t>(info.st_size) / kPageBytes * kPageBytes;
  if (bytes_ < kTestFileBytesMin) {
    throw NotAvailable(fmt::format("'{}' is too small: {} MiB are needed", existing_path,
                                   kTestFileBytesMin / (1024 * 1024)));
  }
  finish_opening();
}

void TestFile::make_buffer() {
  buffer_.reset(std::aligned_alloc(kAlignmentBytes, kRequestBytesMax));
  if (!buffer_) throw NotAvailable("no memory for the test's buffer");
  // The data neither compresses nor repeats, because some file systems and disks would be faster with such data.
  auto* words = static_cast<std::uint64_t*>(buffer_.get());
  for (std::uint64_t i = 0; i < kRequestBytesMax / sizeof *words; ++i) words[i] = random_();
}

void TestFile::make_in(const std::string& directory) {
  remove_leftovers(directory);
  fd_ = make_nameless(directory, 0);
  refuse_memory(fd_.get(), directory);
}

void TestFile::fill(std::uint64_t bytes_wanted, std::uint64_t time_max_ns,
                    const std::function<void(double)>& progress) {
  const std::uint64_t bytes_free = free_bytes(fd_.get());
  std::uint64_t goal = std::min(bytes_wanted, bytes_free / kFreeDivisor) / kPieceBytes * kPieceBytes;
  if (goal < kTestFileBytesMin) goal = kTestFileBytesMin;
  // Reserves one stretch of the disk if the file system can do that. A failure here is ignored: the writes below would then fail,
  // too.
  [[maybe_unused]] const int reserved = fallocate(fd_.get(), 0, 0, static_cast<off_t>(goal));
  const ScopedFd direct = reopen(O_RDWR | O_DIRECT);
  const int fd = direct.is_open() ? direct.get() : fd_.get();
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  std::uint64_t done = 0;
  while (done < goal) {
    const char* piece = static_cast<const char*>(buffer()) + done % kRequestBytesMax;
    try {
      write_all(fd, piece, kPieceBytes, done);
    } catch (const NotAvailable&) {
      if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) throw;
      done = done / 2 / kPieceBytes * kPieceBytes;  // half of the file is given back for other programs
      break;
    }
    done += kPieceBytes;
    progress(static_cast<double>(done) / static_cast<double>(goal));
    const bool is_late = gray::base::monotonic_ns() - start_ns > time_max_ns;
    if (is_late && done >= kTestFileBytesMin) break;
  }
  if (ftruncate(fd_.get(), static_cast<off_t>(done)) != 0) give_up("cannot cut the test file", errno);
  if (done < kTestFileBytesMin) {
    throw NotAvailable(fmt::format("no space in '{}' for a test file of {} MiB", directory_,
                                   kTestFileBytesMin / (1024 * 1024)));
  }
  bytes_ = done;
  if (fsync(fd_.get()) != 0) give_up("cannot write the test file", errno);
}

void TestFile::finish_opening() {
  direct_ = reopen((is_writable_ ? O_RDWR : O_RDONLY) | O_DIRECT);
  if (direct_.is_open() &&
      pread(direct_.get(), buffer(), kPageBytes, 0) != static_cast<ssize_t>(kPageBytes)) {
    direct_.reset();
  }
  gray::os::expect_random_reads(fd_.get());
  choose_oracle();
}

ScopedFd TestFile::reopen(int flags) const {
  return ScopedFd::open(fmt::format("/proc/self/fd/{}", fd_.get()).c_str(), flags);
}

void TestFile::evict() const {
  if (is_writable_) fdatasync(fd_.get());
  for (int i = 0; i < kEvictTries; ++i) {
    posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_DONTNEED);
    if (resident(0, pages()).value_or(0) == 0) return;
    usleep(kEvictPauseUs);
  }
}

std::optional<std::uint64_t> TestFile::ask(Oracle oracle, std::uint64_t first, std::uint64_t count) const {
  if (oracle == Oracle::kNone) return std::nullopt;
  const auto answer = oracle == Oracle::kCachestat ? gray::os::count_by_cachestat(fd_.get(), first, count)
                                                   : gray::os::count_by_mincore(fd_.get(), first, count);
  if (!answer) return std::nullopt;
  return answer.value();
}

std::optional<std::uint64_t> TestFile::resident(std::uint64_t first, std::uint64_t count) const {
  return ask(oracle_, first, count);
}

// An oracle is used if it says "all" of pages that were just read and "none" of pages that were just dropped.
void TestFile::choose_oracle() {
  for (const Oracle oracle : {Oracle::kCachestat, Oracle::kMincore}) {
    read_all(fd_.get(), buffer(), kSelfTestPages * kPageBytes, 0);
    if (ask(oracle, 0, kSelfTestPages) != kSelfTestPages) continue;
    oracle_ = oracle;
    evict();
    if (resident(0, kSelfTestPages) == 0) return;
    oracle_ = Oracle::kNone;
  }
}

}  // namespace microbench
