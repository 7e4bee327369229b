// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/markers.hpp"

namespace discnice::predictor {
namespace {

// Spreads the bits of a number over all of its places (the finaliser of the SplitMix64 generator).
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27U)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31U);
}

// The page's name in the table; never 0, which means an empty slot. Two pages of one name are too rare to matter.
std::uint64_t key_of(const FileId& file, std::uint64_t page) {
  return mixed(mixed(mixed(file.inode) ^ file.device) + page) | 1U;
}

}  // namespace

bool Markers::has(const FileId& file, std::uint64_t page) const {
  const std::uint64_t key = key_of(file, page);
  for (const auto& slot : buckets_[(key >> 32U) % kBuckets].slots) {
    if (slot.load(std::memory_order_relaxed) == key) return true;
  }
  return false;
}

void Markers::add(const FileId& file, std::uint64_t page) {
  const std::uint64_t key = key_of(file, page);
  Bucket& bucket = buckets_[(key >> 32U) % kBuckets];
  for (auto& slot : bucket.slots) {
    std::uint64_t seen = slot.load(std::memory_order_relaxed);
    if (seen == key) return;
    if (seen == 0 && slot.compare_exchange_strong(seen, key, std::memory_order_relaxed)) return;
  }
  bucket.slots[(key >> 1U) % kBucketSlots].store(key, std::memory_order_relaxed);
}

void Markers::remove(const FileId& file, std::uint64_t page) {
  const std::uint64_t key = key_of(file, page);
  for (auto& slot : buckets_[(key >> 32U) % kBuckets].slots) {
    std::uint64_t seen = key;
    if (slot.load(std::memory_order_relaxed) == key &&
        slot.compare_exchange_strong(seen, 0, std::memory_order_relaxed))
      return;
  }
}

}  // namespace discnice::predictor
