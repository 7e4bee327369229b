// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/page_cursor.hpp"

#include "tools/discnice/predictor/cache_model.hpp"

namespace discnice::predictor {
namespace {

constexpr std::uint32_t kSlotBits = 6;
constexpr std::uint64_t kNodeSlots = UINT64_C(1) << kSlotBits;
constexpr std::uint32_t kLevelsMax = 64 / kSlotBits;

}  // namespace

bool PageCursor::is_resident(std::uint64_t page, bool is_forward) {
  if (page >= run_first_ && page < run_end_) return true;
  if (is_forward) {
    run_first_ = page;
    run_end_ = page + resident_run(oracle_, page, kRegionPages);
  } else {
    run_first_ = page + 1 - resident_run_before(oracle_, page + 1, kRegionPages);
    run_end_ = page + 1;
  }
  return page >= run_first_ && page < run_end_;
}

// Whether any page is resident in this slot, which is on a level above the lowest.
bool PageCursor::holds_pages(std::uint32_t level, std::uint64_t slot) {
  const std::uint64_t first = slot << (kSlotBits * level);
  const std::uint64_t count = UINT64_C(1) << (kSlotBits * level);
  if (run_first_ < run_end_ && run_first_ < first + count && run_end_ > first) return true;
  return oracle_.count_resident(oracle_.context, first, count) > 0;
}

bool PageCursor::load() {
  if (oracle_.count_resident(oracle_.context, page_, 1) == 0) return false;
  const std::uint64_t head = folios_.head_of(file_, page_);
  level_ = folios_.pages_at(file_, head) >= kNodeSlots ? 1 : 0;
  slot_ = head >> (kSlotBits * level_);
  return true;
}

// Moves from a slot down to its content: a page, a large folio, or nothing. Below that level the cursor follows its page number.
bool PageCursor::descend() {
  while (level_ > 0) {
    if (!holds_pages(level_, slot_)) return false;
    if (level_ == 1) {
      const std::uint64_t first = slot_ << kSlotBits;
      const std::uint64_t head = folios_.head_of(file_, first);
      if (folios_.pages_at(file_, head) >= kNodeSlots) return true;
    }
    --level_;
    slot_ = (slot_ << kSlotBits) | (index_slot(level_) % kNodeSlots);
  }
  return true;
}

bool PageCursor::step_back() {
  --page_;
  if (level_ == 0 && slot_ % kNodeSlots != 0) {
    --slot_;
    return is_resident(slot_, false);
  }
  if (slot_ % kNodeSlots != index_slot(level_) % kNodeSlots) {
    while (slot_ % kNodeSlots == 0) {
      if (slot_ == 0 || level_ == kLevelsMax) return false;  // the start of the file
      slot_ >>= kSlotBits;
      ++level_;
    }
    --slot_;
  }
  return descend() && (level_ > 0 || is_resident(slot_, false));
}

bool PageCursor::step_on() {
  ++page_;
  if (level_ == 0 && slot_ % kNodeSlots != kNodeSlots - 1) {
    ++slot_;
    return is_resident(slot_, true);
  }
  if (slot_ % kNodeSlots != index_slot(level_) % kNodeSlots) {
    ++slot_;
    while (slot_ % kNodeSlots == 0 && level_ < kLevelsMax) {
      slot_ >>= kSlotBits;
      ++level_;
    }
  }
  return descend() && (level_ > 0 || is_resident(slot_, true));
}

std::uint64_t PageCursor::previous_miss(std::uint64_t page, std::uint64_t pages_max) {
  page_ = page;
  bool is_there = pages_max > 0 && load();
  for (std::uint64_t i = 1; i < pages_max && is_there && page_ != UINT64_MAX; ++i) is_there = step_back();
  return page_;
}

std::uint64_t PageCursor::next_miss(std::uint64_t page, std::uint64_t pages_max) {
  page_ = page;
  bool is_there = pages_max > 0 && load();
  for (std::uint64_t i = 1; i < pages_max && is_there; ++i) is_there = step_on();
  return is_there ? page + pages_max : page_;
}

}  // namespace discnice::predictor
