// SPDX-License-Identifier: MIT
#include "tools/discnice/outputs/disk_below.hpp"

#include <cstring>

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x00001000U  // since Linux 5.8; the headers of older distributions lack it
#endif

namespace discnice::outputs {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;

constexpr std::size_t kChunkBytes = 1024;
constexpr unsigned kPointPlace = 4;  // the place of the word that says where it is mounted
constexpr char kUpper[] = "upperdir=";
constexpr char kLower[] = "lowerdir=";
// The layout of struct statx, because the struct of old headers may end before that field.
constexpr std::size_t kStatxBytes = 256;
constexpr std::size_t kMountIdOffset = 0x90;

void read_mounts(MountSearch& search) {
  const long descriptor =
      raw_syscall(SYS_openat, AT_FDCWD, word("/proc/self/mountinfo"), O_RDONLY | O_CLOEXEC, 0);
  if (is_raw_error(descriptor)) return;
  char chunk[kChunkBytes];
  for (long length = 1; length > 0 && !search.is_found();) {
    length = raw_syscall(SYS_read, descriptor, word(chunk), sizeof chunk);
    if (length > 0) search.feed(chunk, static_cast<std::size_t>(length));
  }
  raw_syscall(SYS_close, descriptor);
}

bool is_octal(char letter) {
  return letter >= '0' && letter <= '7';
}

}  // namespace

// Copies a part of the word, up to its end or to `end`, and replaces each escape \ooo of the table by its character. A
// part that is too long stays empty.
void MountSearch::keep(char* place, std::size_t from, char end) const {
  std::size_t length = 0;
  const std::size_t stored = length_ < sizeof word_ ? length_ : sizeof word_;
  std::size_t at = from;
  for (; at < stored && word_[at] != end && length + 1 < kMountNameBytesMax; ++at) {
    char letter = word_[at];
    if (letter == '\\' && at + 3 < stored && is_octal(word_[at + 1]) && is_octal(word_[at + 2]) &&
        is_octal(word_[at + 3])) {
      letter =
          static_cast<char>((word_[at + 1] - '0') * 64 + (word_[at + 2] - '0') * 8 + (word_[at + 3] - '0'));
      at += 3;
    }
    place[length++] = letter;
  }
  const bool is_whole = at == length_ || (at < stored && word_[at] == end);
  place[is_whole ? length : 0] = '\0';
}

void MountSearch::end_of_word(char end) {
  const bool is_dash = length_ == 1 && word_[0] == '-';
  if (place_ == 0) {
    std::uint64_t id = 0;
    for (std::size_t i = 0; i < length_ && i < sizeof word_; ++i)
      id = id * 10 + static_cast<std::uint64_t>(word_[i] - '0');
    is_other_mount_ = id != mount_id_;
  } else if (place_ == kPointPlace && !is_other_mount_) {
    keep(point_, 0, '\0');
  } else if (dash_place_ == 0 && is_dash) {
    dash_place_ = place_;
  } else if (!is_other_mount_ && dash_place_ != 0 && place_ == dash_place_ + 2) {
    keep(source_, 0, '\0');
  } else if (!is_other_mount_ && dash_place_ != 0 && place_ == dash_place_ + 3) {
    static_assert(sizeof kUpper == sizeof kLower);
    const std::size_t key = sizeof kUpper - 1;
    if (length_ > key && std::memcmp(word_, kUpper, key) == 0) keep(upper_, key, '\0');
    if (length_ > key && std::memcmp(word_, kLower, key) == 0) keep(lower_, key, ':');
  }
  length_ = 0;
  word_[0] = '\0';
  if (end == ' ') ++place_;
  if (end != '\n') return;
  is_found_ = is_found_ || (!is_other_mount_ && dash_place_ != 0);
  place_ = dash_place_ = 0;
}

void MountSearch::feed(const char* text, std::size_t length) {
  for (std::size_t i = 0; i < length && !is_found_; ++i) {
    const char letter = text[i];
    const bool is_in_options = dash_place_ != 0 && place_ == dash_place_ + 3;
    if (letter == ' ' || letter == '\n' || (letter == ',' && is_in_options)) {
      end_of_word(letter);
      continue;
    }
    if (length_ < sizeof word_) word_[length_] = letter;
    ++length_;
  }
}

bool find_mount_id(int descriptor, std::uint64_t* mount_id) {
  unsigned char answer[kStatxBytes] = {};
  if (is_raw_error(raw_syscall(SYS_statx, descriptor, word(""), AT_EMPTY_PATH, STATX_MNT_ID, word(answer))))
    return false;
  std::uint32_t mask = 0;
  std::memcpy(&mask, answer, sizeof mask);
  std::memcpy(mount_id, answer + kMountIdOffset, sizeof *mount_id);
  return (mask & STATX_MNT_ID) != 0;
}

bool find_mount_point(std::uint64_t mount_id, char* path) {
  MountSearch search(mount_id);
  read_mounts(search);
  if (!search.is_found() || search.point()[0] != '/') return false;
  std::memcpy(path, search.point(), kMountNameBytesMax);
  return true;
}

std::uint64_t disk_below(std::uint64_t mount_id) {
  MountSearch search(mount_id);
  read_mounts(search);
  if (!search.is_found()) return 0;
  struct stat status {};
  if (search.source()[0] == '/' &&
      !is_raw_error(raw_syscall(SYS_newfstatat, AT_FDCWD, word(search.source()), word(&status), 0)) &&
      S_ISBLK(status.st_mode))
    return counted_disk(status.st_rdev);
  if (search.folder()[0] == '/' &&
      !is_raw_error(raw_syscall(SYS_newfstatat, AT_FDCWD, word(search.folder()), word(&status), 0)))
    return counted_disk(status.st_dev);
  return 0;
}

}  // namespace discnice::outputs
