// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/changed_ranges.hpp"

#include <fcntl.h>
#include <linux/fs.h>

#include "tools/discnice/job/caller_memory.hpp"
#include "tools/discnice/transfer/metadata.hpp"

namespace discnice::guest {
namespace {

constexpr std::uint64_t kToTheEnd = 0;
constexpr unsigned kTargetsMax = 16;  // targets of one request; the kernel's account settles any further ones

// The head of a struct file_dedupe_range. The targets follow it in memory.
struct DeduplicationHead {
  std::uint64_t source_offset_bytes;
  std::uint64_t length_bytes;
  std::uint16_t target_count;
  std::uint16_t reserved[3];
};
static_assert(sizeof(DeduplicationHead) == sizeof(file_dedupe_range));

void note_deduplicated(int fd, const void* argument) {
  DeduplicationHead request{};
  if (!read_caller(argument, &request, sizeof request)) return;
  after_range_sent(fd, request.source_offset_bytes, request.length_bytes);
  const auto* targets = reinterpret_cast<const struct file_dedupe_range_info*>(
      static_cast<const char*>(argument) + sizeof request);
  for (unsigned i = 0; i < request.target_count && i < kTargetsMax; ++i) {
    struct file_dedupe_range_info target {};
    if (!read_caller(targets + i, &target, sizeof target)) return;
    if (target.status != FILE_DEDUPE_RANGE_SAME || target.bytes_deduped == 0) continue;
    const int target_fd = static_cast<int>(target.dest_fd);
    after_range_sent(target_fd, target.dest_offset, target.bytes_deduped);
    after_range_removal(target_fd, target.dest_offset, target.bytes_deduped);
  }
}

}  // namespace

void note_range_changed(int fd, int mode, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  if ((mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) != 0)
    return after_range_removal(fd, offset_bytes, length_bytes);
  if ((mode & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE)) != 0)
    after_range_sent(fd, offset_bytes, INT64_MAX - offset_bytes);
}

bool shares_blocks(unsigned long request) {
  return request == FICLONE || request == FICLONERANGE || request == FIDEDUPERANGE;
}

void note_shared_blocks(int fd, unsigned long request, const void* argument) {
  if (request == FIDEDUPERANGE) return note_deduplicated(fd, argument);
  if (request == FICLONE) {
    after_range_sent(static_cast<int>(reinterpret_cast<std::intptr_t>(argument)), 0, kToTheEnd);
    return after_range_removal(fd, 0, kToTheEnd);
  }
  struct file_clone_range range {};
  if (!read_caller(argument, &range, sizeof range)) return;
  after_range_sent(static_cast<int>(range.src_fd), range.src_offset, range.src_length);
  after_range_removal(fd, range.dest_offset, range.src_length);
}

}  // namespace discnice::guest
