// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/let_go_files.hpp"

#include "tools/discnice/protocol/reserve.hpp"

namespace discnice::protocol {
namespace {

std::uint64_t place_of(std::uint64_t key) {
  return (key >> 32U) % kLetGoFiles;
}

// Never 0, because 0 is an empty place.
std::uint32_t mark_of(std::uint64_t key) {
  return static_cast<std::uint32_t>(key) | 1U;
}

bool has_memory(Segment& segment) {
  if (segment.is_let_go_reserved.load(std::memory_order_acquire) != 0) return true;
  if (!reserve(segment, segment.let_go_files, sizeof segment.let_go_files)) return false;
  segment.is_let_go_reserved.store(1, std::memory_order_release);  // pairs with was_let_go()
  return true;
}

}  // namespace

void note_let_go(Segment& segment, std::uint64_t key) {
  if (has_memory(segment)) segment.let_go_files[place_of(key)].store(mark_of(key), std::memory_order_relaxed);
}

bool was_let_go(const Segment& segment, std::uint64_t key) {
  if (segment.is_let_go_reserved.load(std::memory_order_acquire) == 0) return false;
  return segment.let_go_files[place_of(key)].load(std::memory_order_relaxed) == mark_of(key);
}

}  // namespace discnice::protocol
