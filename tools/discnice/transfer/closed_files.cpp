// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/closed_files.hpp"

#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/short_text.hpp"
#include "tools/discnice/job/try_lock.hpp"
#include "tools/discnice/kernel/cachestat.hpp"
#include "tools/discnice/predictor/page_key.hpp"
#include "tools/discnice/protocol/let_go_files.hpp"

namespace discnice::guest {
namespace {

using gray::base::append_number;
using gray::base::append_text;
using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;

constexpr unsigned kFilesMax = 512;
// One call checks at most kLooksAtOnce of the oldest files. The file must be opened again to find out whether its data is on the disk. When the first file is
// not on the disk yet, the next check comes after kFilesBetween more files were closed.
constexpr unsigned kLooksAtOnce = 32;
constexpr unsigned kFilesBetween = 16;
constexpr char kOwnDescriptors[] = "/proc/self/fd/";

struct ClosedFile {
  FileId id;
  PageRun run;
  char path[224];
};

// A ring of remembered files; `first` is the oldest. All zero bytes are an empty ring. Its memory is allocated when it is first used.
struct Ring {
  std::atomic<std::uint32_t> lock;  // a TryLock over the whole ring
  std::uint32_t epoch;              // of the process image that closed these files
  unsigned first;
  unsigned closed_since;  // files closed since a check found the oldest file not on the disk
  ClosedFile files[kFilesMax];
};
constinit Ring ring{};

struct DescriptorPath {
  char text[sizeof kOwnDescriptors + 20];
};

DescriptorPath path_of_descriptor(long fd) {
  DescriptorPath path;
  *append_number(append_text(path.text, kOwnDescriptors), static_cast<std::uint64_t>(fd)) = '\0';
  return path;
}

// A forked child has a copy of its parent's ring, and empties it.
void take_for_own(const Job& job) {
  if (ring.epoch == job.epoch) return;
  ring.epoch = job.epoch;
  detail::closed_count.store(0, std::memory_order_relaxed);
}

ClosedFile& file_at(unsigned place) {
  return ring.files[(ring.first + place) % kFilesMax];
}

enum class Fate : std::uint8_t { waits, gone };

// Opens the file for reading. Returns -1 when the name now belongs to another file.
long open_again(const ClosedFile& file) {
  const long found = raw_syscall(SYS_openat, AT_FDCWD, word(file.path), O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
  if (is_raw_error(found)) return -1;
  struct stat status {};
  long fd = -1;
  if (!is_raw_error(raw_syscall(SYS_fstat, found, word(&status))) && S_ISREG(status.st_mode) &&
      FileId{status.st_dev, status.st_ino} == file.id) {
    const DescriptorPath path = path_of_descriptor(found);
    fd = raw_syscall(SYS_openat, AT_FDCWD, word(path.text), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
  }
  raw_syscall(SYS_close, found);
  return is_raw_error(fd) ? -1 : fd;
}

Fate let_go_if_on_disk(Job& job, const ClosedFile& file) {
  const long fd = open_again(file);
  if (fd < 0) return Fate::gone;
  const std::uint64_t from_bytes = file.run.first_page * kPageBytes;
  const std::uint64_t length_bytes = (file.run.end_page - file.run.first_page) * kPageBytes;
  CachestatAnswer answer{};
  Fate fate = Fate::gone;
  if (!is_raw_error(ask_cachestat(static_cast<int>(fd), from_bytes, length_bytes, &answer))) {
    if (answer.dirty != 0 || answer.in_writeback != 0) {
      fate = Fate::waits;
    } else {
      raw_syscall(SYS_fadvise64, fd, static_cast<long>(from_bytes), static_cast<long>(length_bytes),
                  POSIX_FADV_DONTNEED);
      job.segment->cache_let_go_bytes.fetch_add(length_bytes, std::memory_order_relaxed);
      protocol::note_let_go(*job.segment, predictor::page_key(file.id, 0));
    }
  }
  raw_syscall(SYS_close, fd);
  return fate;
}

void drop_oldest() {
  ring.first = (ring.first + 1) % kFilesMax;
  detail::closed_count.fetch_sub(1, std::memory_order_relaxed);
}

// The last part of a path, behind the last slash.
const char* last_part(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool has_same_folder(const char* one, const char* other) {
  const auto length = last_part(one) - one;
  return last_part(other) - other == length && std::memcmp(one, other, static_cast<std::size_t>(length)) == 0;
}

// Gives the file its new name. When the name is too long, the path becomes empty, and the file is not found again.
void rename(ClosedFile& file, const char* name) {
  auto* place = const_cast<char*>(last_part(file.path));
  const auto room = static_cast<std::size_t>(file.path + sizeof file.path - place);
  const std::size_t length = std::strlen(name) + 1;
  if (length <= room)
    std::memcpy(place, name, length);
  else
    file.path[0] = '\0';
}

}  // namespace

constinit std::atomic<unsigned> detail::closed_count{0};

void note_closed(Job& job, const FileId& file, int fd, const PageRun& run) {
  const TryLock lock(ring.lock, job.epoch);
  if (!lock) return;
  take_for_own(job);
  if (detail::closed_count.load(std::memory_order_relaxed) == kFilesMax) drop_oldest();
  const unsigned count = detail::closed_count.load(std::memory_order_relaxed);
  ClosedFile& closed = file_at(count);
  const DescriptorPath path = path_of_descriptor(fd);
  const long length =
      raw_syscall(SYS_readlinkat, AT_FDCWD, word(path.text), word(closed.path), sizeof closed.path);
  if (length <= 0 || length >= static_cast<long>(sizeof closed.path)) return;
  closed.path[length] = '\0';
  closed.id = file;
  closed.run = run;
  detail::closed_count.store(count + 1, std::memory_order_relaxed);
}

void let_go_of_closed(Job& job, Which which) {
  if (detail::closed_count.load(std::memory_order_relaxed) == 0) return;
  const TryLock lock(ring.lock, job.epoch);
  if (!lock) return;
  take_for_own(job);
  if (which == Which::oldest && ring.closed_since != 0 && ++ring.closed_since <= kFilesBetween) return;
  ring.closed_since = 0;
  const unsigned looks = which == Which::all ? kFilesMax : kLooksAtOnce;
  for (unsigned i = 0; i < looks && detail::closed_count.load(std::memory_order_relaxed) != 0; ++i) {
    const Fate fate = let_go_if_on_disk(job, file_at(0));
    if (fate == Fate::waits && which == Which::oldest) {
      ring.closed_since = 1;
      return;
    }
    drop_oldest();
  }
}

void detail::note_renamed(const char* from, const char* to) {
  Job* here = job();
  if (here == nullptr || from == nullptr || to == nullptr || !has_same_folder(from, to)) return;
  const TryLock lock(ring.lock, here->epoch);
  if (!lock || ring.epoch != here->epoch) return;
  // A program renames a file that it has just closed, so only the newest entries are compared.
  constexpr unsigned kLooksBack = 4;
  const unsigned count = detail::closed_count.load(std::memory_order_relaxed);
  for (unsigned i = 1; i <= count && i <= kLooksBack; ++i) {
    ClosedFile& file = file_at(count - i);
    if (std::strcmp(last_part(file.path), last_part(from)) != 0) continue;
    return rename(file, last_part(to));
  }
}

}  // namespace discnice::guest
