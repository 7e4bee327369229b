// SPDX-License-Identifier: MIT
#include "tools/discnice/observe/profiling.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/job/try_lock.hpp"
#include "tools/discnice/observe/callsite.hpp"
#include "tools/discnice/protocol/profile_records.hpp"
#include "tools/discnice/protocol/ring.hpp"

namespace discnice::guest {
namespace {

using gray::base::raw_syscall;
using gray::base::word;
using protocol::MappingRecord;
using protocol::StackRecord;

constexpr std::uint32_t kStretchesMax = 256;
constexpr std::uint32_t kTellingsMax =
    64;  // of one image; each address outside the table costs another search of the maps
constexpr std::size_t kPartBytes = 4096;  // the kernel returns /proc/self/maps in whole lines, up to a page

struct Stretch {
  std::uint64_t start_address;
  std::uint64_t end_address;
};

// The code ranges that this image has sent. A forked child has a copy of its parent's list and must send them again.
Stretch told[kStretchesMax];
std::uint32_t told_count;
std::uint32_t told_epoch;
std::uint32_t tellings;
std::atomic<std::uint32_t> told_lock;

bool is_told(std::uint64_t address) {
  for (std::uint32_t i = 0; i < told_count; ++i) {
    if (address >= told[i].start_address && address < told[i].end_address) return true;
  }
  return false;
}

std::uint64_t parse_hex(const char*& text, const char* end) {
  std::uint64_t value = 0;
  for (; text < end; ++text) {
    const char c = *text;
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<std::uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
    } else {
      break;
    }
  }
  return value;
}

// Skips the rest of a word and the blanks behind it.
void next_word(const char*& text, const char* end) {
  while (text < end && *text != ' ') ++text;
  while (text < end && *text == ' ') ++text;
}

// Sends one line of the maps: "start-end r-xp offset device inode   path".
void tell_line(Job& job, const char* line, const char* end, std::uint32_t index) {
  MappingRecord record{};
  const char* text = line;
  record.start_address = parse_hex(text, end);
  if (text < end) ++text;
  record.end_address = parse_hex(text, end);
  next_word(text, end);
  const bool is_code = end - text > 4 && text[2] == 'x';
  if (!is_code || told_count >= kStretchesMax) return;
  next_word(text, end);
  record.offset_bytes = parse_hex(text, end);
  next_word(text, end);
  next_word(text, end);
  next_word(text, end);
  const auto length = static_cast<std::size_t>(end - text);
  std::memcpy(record.path, text, length < sizeof record.path ? length : sizeof record.path - 1);
  record.index = index;
  record.head.pid = job.pid;
  record.head.image = job.epoch;
  told[told_count++] = {record.start_address, record.end_address};
  protocol::seal(record.head, protocol::kMappingRecord, sizeof record);
  protocol::put(*job.ring, record.head);
}

char map_part[2 *
              kPartBytes];  // under told_lock: a thread of the program may have no room for it on its stack

// Reads this process's maps and sends all code ranges in them. Ranges that were sent before are sent again, because dlclose() may have freed an address for another library.
void tell_mappings(Job& job) {
  const long fd = raw_syscall(SYS_openat, AT_FDCWD, word("/proc/self/maps"), O_RDONLY | O_CLOEXEC, 0);
  if (gray::base::is_raw_error(fd)) return;
  std::size_t held = 0;
  told_count = 0;
  std::uint32_t index = 0;
  while (held < sizeof map_part) {
    const long got =
        raw_syscall(SYS_read, fd, word(map_part + held), static_cast<long>(sizeof map_part - held));
    if (got <= 0) break;
    held += static_cast<std::size_t>(got);
    const char* line = map_part;
    const char* const end = map_part + held;
    for (const char* line_end = line; line_end < end; ++line_end) {
      if (*line_end != '\n') continue;
      tell_line(job, line, line_end, index++);
      line = line_end + 1;
    }
    held = static_cast<std::size_t>(end - line);
    std::memmove(map_part, line, held);
  }
  raw_syscall(SYS_close, fd);
}

void tell_code_of(Job& job, const StackRecord& stack) {
  const TryLock lock(told_lock, job.epoch);
  if (!lock) return;  // another thread is sending
  if (told_epoch != job.epoch) told_count = tellings = 0;
  told_epoch = job.epoch;
  for (std::uint32_t i = 0; i < stack.frame_count; ++i) {
    if (is_told(stack.frames[i]) || tellings >= kTellingsMax) continue;
    ++tellings;
    return tell_mappings(job);
  }
}

}  // namespace

void profile_call(Job& job, const IoEstimate& estimate) {
  const int errno_before = errno;
  StackRecord record{};
  record.frame_count = walk_stack(record.frames, protocol::kStackFramesMax, job.epoch);
  errno = errno_before;
  if (record.frame_count == 0) return protocol::add(*job.member, protocol::Counter::fallbacks, 1);
  tell_code_of(job, record);
  record.is_cut = record.frame_count == protocol::kStackFramesMax ? 1 : 0;
  record.read_bytes = estimate.read_bytes;
  record.write_bytes = estimate.write_bytes;
  record.head.pid = job.pid;
  record.head.image = job.epoch;
  protocol::seal(record.head, protocol::kStackRecord, sizeof record);
  protocol::put(*job.ring, record.head);
}

}  // namespace discnice::guest
