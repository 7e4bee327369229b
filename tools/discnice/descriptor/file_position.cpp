// SPDX-License-Identifier: MIT
#include "tools/discnice/descriptor/file_position.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/trust.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;

constexpr std::uint64_t kCheckEachBytes = 1024UL * 1024;

bool is_at_check(std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  return offset_bytes >= kCheckEachBytes && offset_bytes % kCheckEachBytes < length_bytes;
}

bool is_known(std::uint64_t position) {
  return position != OpenFile::kNotKnown && position != OpenFile::kShared;
}

// Keeps the position, unless reads may be trusted: trusted reads do not move the known position.
void learn(OpenFile& file, std::uint64_t offset_bytes) {
  if (file.was_opened.load(std::memory_order_relaxed) && !trust.is_given(file) &&
      file.position.load(std::memory_order_relaxed) != OpenFile::kShared)
    file.position.store(offset_bytes + 1, std::memory_order_relaxed);
}

}  // namespace

void note_shared(int fd) {
  OpenFile* file = known_open_file(fd);
  if (file == nullptr) return;
  file->opening_flags.store(0, std::memory_order_relaxed);
  file->position.store(OpenFile::kShared, std::memory_order_relaxed);
}

off64_t note_sought(int fd, off64_t result) {
  OpenFile* file = known_open_file(fd);
  if (file != nullptr && result >= 0 && is_known(file->position.load(std::memory_order_relaxed)))
    learn(*file, static_cast<std::uint64_t>(result));
  return result;
}

void note_moved(OpenFile& file, ssize_t result) {
  if (result <= 0) return;
  const auto bytes = static_cast<std::uint64_t>(result);
  std::uint64_t before = file.position.load(std::memory_order_relaxed);
  while (is_known(before) &&
         !file.position.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed)) {
  }
}

bool find_position(OpenFile& file, int fd, std::uint64_t length_bytes, std::uint64_t* offset_bytes) {
  const std::uint64_t known = file.position.load(std::memory_order_relaxed);
  if (is_known(known) && !is_at_check(known - 1, length_bytes)) {
    *offset_bytes = known - 1;
    return true;
  }
  const long position = raw_syscall(SYS_lseek, fd, 0, SEEK_CUR);
  if (is_raw_error(position)) return false;
  *offset_bytes = static_cast<std::uint64_t>(position);
  learn(file, *offset_bytes);
  return true;
}

}  // namespace discnice::guest
