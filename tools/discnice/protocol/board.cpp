// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/board.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/shared_file.hpp"
#include "toolbox/base/short_text.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::protocol {
namespace {

using gray::base::append_number;
using gray::base::append_text;
using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::Result;
using gray::base::ScopedFd;
using gray::base::word;

struct Path {
  char text[sizeof kSegmentFolder + sizeof BoardName::text];
};

Path path_of(const BoardName& name) {
  Path path{};
  append_text(append_text(path.text, kSegmentFolder), name.text);
  return path;
}

// Removes this user's file under the board's name when the file cannot be used: because others may open the file, because it has a second name,
// or because it is a link or an empty folder. A file of another user stays. The kernel is asked for the owner of the name, also for uid 0.
bool clear_own(const Path& path) {
  struct stat status {};
  const long result =
      raw_syscall(SYS_newfstatat, AT_FDCWD, word(path.text), word(&status), AT_SYMLINK_NOFOLLOW);
  if (is_raw_error(result) || status.st_uid != static_cast<uid_t>(raw_syscall(SYS_geteuid))) return false;
  const long flags = S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0;
  return !is_raw_error(raw_syscall(SYS_unlinkat, AT_FDCWD, word(path.text), flags));
}

ScopedFd open_or_make(const Path& path, std::uint64_t* size_bytes) {
  ScopedFd file = gray::base::open_shared_file(path.text, size_bytes);
  const bool is_unfit = file.error() == -EPERM || file.error() == -EPROTO;
  if (file.error() == -ENOENT || (is_unfit && clear_own(path)))
    file = gray::base::make_shared_file(path.text);
  if (file.error() == -EEXIST) file = gray::base::open_shared_file(path.text, size_bytes);
  return file;
}

// Completes a file that was just made, that a killed process left incomplete, or that has another size for any reason. No process maps more of
// the file than the size of a board. So no process loses memory when the file gets that size. The memory is reserved before it is touched.
long make_whole(long descriptor, std::uint64_t size_bytes) {
  const long result = size_bytes > sizeof(Board) ? raw_syscall(SYS_ftruncate, descriptor, sizeof(Board)) : 0;
  return is_raw_error(result) ? result : raw_syscall(SYS_fallocate, descriptor, 0, 0, sizeof(Board));
}

bool is_fresh(std::uint64_t at_ns, std::uint64_t now_ns) {
  return at_ns != 0 && at_ns <= now_ns && now_ns - at_ns <= kPublishedMaxNs;
}

}  // namespace

BoardName board_name(std::uint32_t user) {
  BoardName name;
  char* out = append_number(append_text(name.text, kBoardPrefix), user);
  append_number(append_text(out, kBoardMark), kBoardVersion);
  return name;
}

Result<Board*> map_board() {
  const Path path = path_of(board_name(static_cast<std::uint32_t>(raw_syscall(SYS_geteuid))));
  std::uint64_t size_bytes = 0;
  const ScopedFd file = open_or_make(path, &size_bytes);
  if (!file.is_open()) return Result<Board*>::failure(file.error());
  long answer = make_whole(file.get(), size_bytes);
  if (!is_raw_error(answer))
    answer = raw_syscall(SYS_mmap, 0, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (is_raw_error(answer)) return Result<Board*>::failure(static_cast<int>(answer));
  return reinterpret_cast<Board*>(answer);
}

void unmap(Board* board) {
  raw_syscall(SYS_munmap, word(board), sizeof(Board));
}

BoardDisk* find_disk(Board& board, std::uint64_t disk) {
  for (BoardDisk& one : board.disks) {
    std::uint64_t number = 0;
    if (one.number.compare_exchange_strong(number, disk + 1, std::memory_order_relaxed) || number == disk + 1)
      return &one;
  }
  return nullptr;
}

bool published_sample(BoardDisk& disk, std::uint64_t now_ns, DiskSample* sample) {
  disk.wanted_at_ns.store(now_ns, std::memory_order_relaxed);
  PublishedSample published{};
  if (!disk.published.load(published, 1) || !is_fresh(published.sampled_at_ns, now_ns)) return false;
  *sample = published.sample;
  return true;
}

}  // namespace discnice::protocol
