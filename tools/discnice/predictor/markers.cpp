// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/markers.hpp"

#include "tools/discnice/predictor/page_key.hpp"

namespace discnice::predictor {

namespace {

unsigned bucket_of(std::uint64_t key, std::uint64_t buckets) {
  return static_cast<unsigned>((key >> 32U) % buckets);
}

}  // namespace

bool Markers::has(const FileId& file, std::uint64_t page) const {
  if (!has_any_.load(std::memory_order_relaxed)) return false;
  const std::uint64_t key = page_key(file, page);
  const unsigned bucket = bucket_of(key, kBuckets);
  if (taken_[bucket].load(std::memory_order_relaxed) == 0) return false;
  for (const auto& slot : buckets_[bucket].slots) {
    if (slot.load(std::memory_order_relaxed) == key) return true;
  }
  return false;
}

void Markers::add(const FileId& file, std::uint64_t page) {
  const std::uint64_t key = page_key(file, page);
  const unsigned bucket = bucket_of(key, kBuckets);
  has_any_.store(true, std::memory_order_relaxed);
  for (auto& slot : buckets_[bucket].slots) {
    std::uint64_t seen = slot.load(std::memory_order_relaxed);
    if (seen == key) return;
    if (seen == 0 && slot.compare_exchange_strong(seen, key, std::memory_order_relaxed)) {
      taken_[bucket].fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  auto& given_up = buckets_[bucket].slots[(key >> 1U) % kBucketSlots];
  if (given_up.exchange(key, std::memory_order_relaxed) == 0)
    taken_[bucket].fetch_add(1, std::memory_order_relaxed);
}

void Markers::remove(const FileId& file, std::uint64_t page) {
  if (!has_any_.load(std::memory_order_relaxed)) return;
  const std::uint64_t key = page_key(file, page);
  const unsigned bucket = bucket_of(key, kBuckets);
  if (taken_[bucket].load(std::memory_order_relaxed) == 0) return;
  for (auto& slot : buckets_[bucket].slots) {
    std::uint64_t seen = key;
    if (slot.load(std::memory_order_relaxed) == key &&
        slot.compare_exchange_strong(seen, 0, std::memory_order_relaxed)) {
      taken_[bucket].fetch_sub(1, std::memory_order_relaxed);
      return;
    }
  }
}

}  // namespace discnice::predictor
