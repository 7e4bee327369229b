// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/board.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/short_text.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/protocol/shared_file.hpp"

namespace discnice::protocol {
namespace {

using gray::base::append_number;
using gray::base::append_text;
using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::Result;
using gray::base::word;

constexpr long kMode = 0600;

struct Path {
  char text[sizeof kSegmentFolder + sizeof BoardName::text];
};

Path path_of(const BoardName& name) {
  Path path{};
  append_text(append_text(path.text, kSegmentFolder), name.text);
  return path;
}

// What is below a descriptor: root may look into anybody's board, and makes none but its own.
enum class Kind : std::uint8_t { foreign, begun, whole };

Kind kind_of(long descriptor, std::uint32_t user) {
  struct stat status {};
  if (is_raw_error(raw_syscall(SYS_fstat, descriptor, word(&status))) || status.st_uid != user)
    return Kind::foreign;
  constexpr std::uint64_t kSectorBytes = 512;
  const bool is_whole = status.st_size == sizeof(Board) &&
                        static_cast<std::uint64_t>(status.st_blocks) * kSectorBytes >= sizeof(Board);
  return is_whole ? Kind::whole : Kind::begun;
}

// Closes the descriptor in any case.
Result<Board*> map(long descriptor) {
  long answer = check_shared_file(descriptor, sizeof(Board));
  if (answer == 0)
    answer = raw_syscall(SYS_mmap, 0, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  raw_syscall(SYS_close, descriptor);
  if (is_raw_error(answer)) return Result<Board*>::failure(static_cast<int>(answer));
  return reinterpret_cast<Board*>(answer);
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
  const auto user = static_cast<std::uint32_t>(raw_syscall(SYS_geteuid));
  const Path path = path_of(board_name(user));
  const long descriptor =
      raw_syscall(SYS_openat, AT_FDCWD, word(path.text), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kMode);
  if (is_raw_error(descriptor)) return Result<Board*>::failure(static_cast<int>(descriptor));
  const Kind kind = kind_of(descriptor, user);
  if (kind == Kind::foreign) {
    raw_syscall(SYS_close, descriptor);
    return Result<Board*>::failure(-EPERM);
  }
  if (kind == Kind::whole) return map(descriptor);
  // Of a new one the memory is reserved before it is touched.
  const long status = raw_syscall(SYS_fallocate, descriptor, 0, 0, sizeof(Board));
  if (!is_raw_error(status)) return map(descriptor);
  raw_syscall(SYS_close, descriptor);
  raw_syscall(SYS_unlinkat, AT_FDCWD, word(path.text), 0);
  return Result<Board*>::failure(static_cast<int>(status));
}

Result<Board*> join_board(const BoardName& name) {
  const Path path = path_of(name);
  const long descriptor =
      raw_syscall(SYS_openat, AT_FDCWD, word(path.text), O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
  if (is_raw_error(descriptor)) return Result<Board*>::failure(static_cast<int>(descriptor));
  return map(descriptor);
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
