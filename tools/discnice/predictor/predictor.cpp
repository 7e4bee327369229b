// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/predictor.hpp"

namespace discnice::predictor {
namespace {

std::uint64_t page_of(std::uint64_t offset_bytes) {
  return offset_bytes / kPageBytes;
}

std::uint64_t page_after(std::uint64_t end_bytes) {
  return (end_bytes + kPageBytes - 1) / kPageBytes;
}

// The end of the operation. Lengths near the largest number come from careless programs and mean "all".
std::uint64_t end_of(const IoOp& op) {
  constexpr std::uint64_t kEndMax = UINT64_MAX - kPageBytes;  // so that page_after() does not overflow
  return op.offset_bytes >= kEndMax || op.length_bytes > kEndMax - op.offset_bytes
             ? kEndMax
             : op.offset_bytes + op.length_bytes;
}

// How ext4 keeps inodes: in groups, each with two bitmaps and a descriptor. Their place on the disk does not matter here: the blocks of inodes are
// numbered as if they lay side by side, and so are bitmaps and descriptors, far behind them.
constexpr std::uint64_t kGroupInodes = 8192;
constexpr std::uint64_t kGroupBitmaps = 2;
constexpr std::uint64_t kDescriptorBytes = 64;
constexpr std::uint64_t kFirstBitmap = UINT64_C(1) << 60U;
constexpr std::uint64_t kFirstDescriptor = UINT64_C(1) << 61U;

// Whether a block must be read before it is written: a block that is only partly overwritten, exists, and is not in memory.
bool needs_read_first(const IoOp& op, std::uint64_t page, const FileState& file, const UpdateRegions& regions,
                      const ResidencyOracle& oracle, std::uint64_t now_ns) {
  if (page * kPageBytes >= op.file_size_bytes) return false;
  if (file.belief.covers(page, now_ns) || regions.is_dirty(op.file, page, now_ns)) return false;
  return oracle.is_exact() && oracle.count_resident(oracle.context, page, 1) == 0;
}

}  // namespace

void forget_reads(FileState& file) {
  const bool is_random = file.readahead.is_random;
  file.readahead = ReadaheadState{};
  file.readahead.is_random = is_random;
}

IoEstimate estimate_read(const IoOp& op, FileState& file, CacheShape& shape, const ResidencyOracle& oracle,
                         std::uint64_t now_ns) {
  if (op.length_bytes == 0 || op.offset_bytes >= op.file_size_bytes) return {};
  const std::uint64_t end_bytes = end_of(op);
  const std::uint64_t returned_end_bytes = end_bytes < op.file_size_bytes ? end_bytes : op.file_size_bytes;
  if (op.is_direct) return {.read_bytes = returned_end_bytes - op.offset_bytes};
  const PageRange range{op.file, page_of(op.offset_bytes), page_after(end_bytes),
                        page_after(op.file_size_bytes)};
  const std::uint64_t pages = predict_read_pages(file.readahead, file.belief, file.limits, range,
                                                 returned_end_bytes, shape, oracle, now_ns);
  return {.read_bytes = pages * kPageBytes};
}

IoEstimate estimate_read_alone(const IoOp& op, const ResidencyOracle& oracle) {
  if (op.length_bytes == 0 || op.offset_bytes >= op.file_size_bytes) return {};
  const std::uint64_t end_bytes = end_of(op);
  const std::uint64_t end = page_after(end_bytes < op.file_size_bytes ? end_bytes : op.file_size_bytes);
  const std::uint64_t first = page_of(op.offset_bytes);
  return {.read_bytes = count_absent(oracle, first, end - first) * kPageBytes};
}

IoEstimate estimate_announced_read(const IoOp& op, const FileState& file, const ResidencyOracle& oracle) {
  const std::uint64_t file_pages = page_after(op.file_size_bytes);
  const std::uint64_t first = page_of(op.offset_bytes);
  if (first >= file_pages || !oracle.is_exact()) return {};
  const std::uint64_t most_pages = file.limits.window_pages_max > file.limits.request_pages_max
                                       ? file.limits.window_pages_max
                                       : file.limits.request_pages_max;
  std::uint64_t end = op.length_bytes == 0 ? file_pages : page_after(end_of(op));
  if (end > file_pages) end = file_pages;
  if (end - first > most_pages) end = first + most_pages;
  return {.read_bytes = count_absent(oracle, first, end - first) * kPageBytes};
}

IoEstimate estimate_write(const IoOp& op, FileState& file, UpdateRegions& regions,
                          const ResidencyOracle& oracle, std::uint64_t now_ns) {
  if (op.length_bytes == 0) return {};
  if (op.is_direct) return {.write_bytes = op.length_bytes};
  const std::uint64_t end_bytes = end_of(op);
  const std::uint64_t first = page_of(op.offset_bytes);
  const std::uint64_t end = page_after(end_bytes);
  IoEstimate estimate;
  if (op.offset_bytes % kPageBytes != 0 && needs_read_first(op, first, file, regions, oracle, now_ns)) {
    estimate.read_bytes += kPageBytes;
  }
  const bool is_tail_partial = end_bytes % kPageBytes != 0 && end_bytes < op.file_size_bytes;
  const bool is_tail_done = end - 1 == first && op.offset_bytes % kPageBytes != 0;
  if (is_tail_partial && !is_tail_done && needs_read_first(op, end - 1, file, regions, oracle, now_ns)) {
    estimate.read_bytes += kPageBytes;
  }
  if (op.is_synchronous) {
    estimate.write_bytes = (end - first) * kPageBytes;
    return estimate;
  }
  estimate.write_bytes = regions.mark(op.file, first, end, now_ns) * kPageBytes;
  return estimate;
}

IoEstimate estimate_remove(const IoOp& op, UpdateRegions& regions, std::uint64_t now_ns) {
  const std::uint64_t end_page = op.length_bytes == 0 ? UINT64_MAX : page_of(end_of(op));
  return {.refund_bytes =
              regions.remove(op.file, page_after(op.offset_bytes), end_page, now_ns) * kPageBytes};
}

IoEstimate estimate_creation(const IoOp& op, DirtyData& dirty, std::uint64_t now_ns) {
  if (op.file.inode == 0) return {};
  const std::uint64_t number = op.file.inode - 1;
  const std::uint64_t group = number / kGroupInodes;
  std::uint64_t pages = dirty.regions.mark(op.file, 0, page_after(op.file_size_bytes), now_ns);
  const auto mark = [&](std::uint64_t block) {
    pages += dirty.inode_blocks().mark(op.file.device, block, now_ns) ? 1U : 0U;
  };
  mark(page_of(number * op.length_bytes));
  for (std::uint64_t i = 0; i < kGroupBitmaps; ++i) mark(kFirstBitmap + group * kGroupBitmaps + i);
  mark(kFirstDescriptor + page_of(group * kDescriptorBytes));
  return {.write_bytes = pages * kPageBytes};
}

void note_sent(const IoOp& op, UpdateRegions& regions, std::uint64_t now_ns) {
  if (op.length_bytes == 0) return regions.clear(op.file);
  regions.remove(op.file, page_of(op.offset_bytes), page_after(end_of(op)), now_ns);
}

}  // namespace discnice::predictor
