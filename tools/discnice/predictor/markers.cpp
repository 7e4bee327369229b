// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/markers.hpp"

#include "tools/discnice/predictor/page_key.hpp"

namespace discnice::predictor {

bool Markers::has(const FileId& file, std::uint64_t page) const {
  if (!has_any_.load(std::memory_order_relaxed)) return false;
  const std::uint64_t key = page_key(file, page);
  for (const auto& slot : buckets_[(key >> 32U) % kBuckets].slots) {
    if (slot.load(std::memory_order_relaxed) == key) return true;
  }
  return false;
}

void Markers::add(const FileId& file, std::uint64_t page) {
  const std::uint64_t key = page_key(file, page);
  has_any_.store(true, std::memory_order_relaxed);
  Bucket& bucket = buckets_[(key >> 32U) % kBuckets];
  for (auto& slot : bucket.slots) {
    std::uint64_t seen = slot.load(std::memory_order_relaxed);
    if (seen == key) return;
    if (seen == 0 && slot.compare_exchange_strong(seen, key, std::memory_order_relaxed)) return;
  }
  bucket.slots[(key >> 1U) % kBucketSlots].store(key, std::memory_order_relaxed);
}

void Markers::remove(const FileId& file, std::uint64_t page) {
  if (!has_any_.load(std::memory_order_relaxed)) return;
  const std::uint64_t key = page_key(file, page);
  for (auto& slot : buckets_[(key >> 32U) % kBuckets].slots) {
    std::uint64_t seen = key;
    if (slot.load(std::memory_order_relaxed) == key &&
        slot.compare_exchange_strong(seen, 0, std::memory_order_relaxed))
      return;
  }
}

}  // namespace discnice::predictor
