// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/folios.hpp"

#include "tools/discnice/predictor/page_key.hpp"

namespace discnice::predictor {
namespace {

constexpr std::uint64_t kBlockPages = 64;  // pages with a bit in one word
constexpr std::uint64_t kFolioPagesMax = UINT64_C(1) << kFolioOrderMax;

// The bits [first, end) of a word; 0 <= first < end <= 64.
std::uint64_t bits(std::uint64_t first, std::uint64_t end) {
  return (~UINT64_C(0) << first) & (~UINT64_C(0) >> (kBlockPages - end));
}

}  // namespace

std::uint64_t Folios::joined_in(const FileId& file, std::uint64_t block) const {
  if (!has_any_.load(std::memory_order_relaxed)) return 0;
  const std::uint64_t key = page_key(file, block);
  for (const Slot& slot : buckets_[(key >> 32U) % kBuckets].slots) {
    if (slot.key.load(std::memory_order_relaxed) == key) return slot.joined.load(std::memory_order_relaxed);
  }
  return 0;
}

// Of the bits in `mask`, those in `joined` become 1 and the others 0. A full bucket forgets one of its blocks.
void Folios::set_joined(const FileId& file, std::uint64_t block, std::uint64_t mask, std::uint64_t joined) {
  if (joined != 0) has_any_.store(true, std::memory_order_relaxed);
  if (!has_any_.load(std::memory_order_relaxed)) return;
  const std::uint64_t key = page_key(file, block);
  Bucket& bucket = buckets_[(key >> 32U) % kBuckets];
  Slot* place = nullptr;
  for (Slot& slot : bucket.slots) {
    const std::uint64_t seen = slot.key.load(std::memory_order_relaxed);
    if (seen == key) {
      const std::uint64_t now = (slot.joined.load(std::memory_order_relaxed) & ~mask) | joined;
      slot.joined.store(now, std::memory_order_relaxed);
      if (now == 0) slot.key.store(0, std::memory_order_relaxed);
      return;
    }
    if (seen == 0) place = &slot;
  }
  if (joined == 0) return;
  if (place == nullptr) place = &bucket.slots[(key >> 1U) % kBucketSlots];
  place->joined.store(joined, std::memory_order_relaxed);
  place->key.store(key, std::memory_order_relaxed);
}

std::uint64_t Folios::head_of(const FileId& file, std::uint64_t page) const {
  std::uint64_t block = page / kBlockPages;
  std::uint64_t heads = ~joined_in(file, block) & bits(0, page % kBlockPages + 1);
  for (std::uint64_t i = 0; i < kFolioPagesMax / kBlockPages && heads == 0 && block > 0; ++i) {
    heads = ~joined_in(file, --block);
  }
  if (heads == 0) return page;
  return block * kBlockPages + 63 - static_cast<std::uint64_t>(__builtin_clzll(heads));
}

std::uint64_t Folios::pages_at(const FileId& file, std::uint64_t head) const {
  std::uint64_t end = head + 1;
  while (end - head < kFolioPagesMax) {
    const std::uint64_t rest = joined_in(file, end / kBlockPages) >> end % kBlockPages;
    const std::uint64_t joined =
        rest == ~UINT64_C(0) ? kBlockPages : static_cast<std::uint64_t>(__builtin_ctzll(~rest));
    end += joined;
    if (joined == 0 || end % kBlockPages != 0) break;
  }
  return end - head;
}

void Folios::make(const FileId& file, std::uint64_t head, std::uint32_t order) {
  const std::uint64_t pages = UINT64_C(1) << order;
  if (pages < kBlockPages) {
    const std::uint64_t mask = bits(head % kBlockPages, head % kBlockPages + pages);
    set_joined(file, head / kBlockPages, mask, mask & ~(UINT64_C(1) << head % kBlockPages));
    return;
  }
  for (std::uint64_t block = 0; block < pages / kBlockPages; ++block) {
    set_joined(file, head / kBlockPages + block, ~UINT64_C(0), block == 0 ? ~UINT64_C(1) : ~UINT64_C(0));
  }
}

void Folios::make_single(const FileId& file, std::uint64_t first_page, std::uint64_t end_page) {
  while (first_page < end_page) {
    const std::uint64_t block_end = (first_page / kBlockPages + 1) * kBlockPages;
    const std::uint64_t end = end_page < block_end ? end_page : block_end;
    set_joined(file, first_page / kBlockPages,
               bits(first_page % kBlockPages, first_page % kBlockPages + (end - first_page)), 0);
    first_page = end;
  }
}

}  // namespace discnice::predictor
