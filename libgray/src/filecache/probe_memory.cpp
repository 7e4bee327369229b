// SPDX-License-Identifier: MIT
#include "libgray/src/filecache/probe_memory.hpp"

#include <atomic>
#include <cstdlib>

#include "libgray/src/os/os.hpp"

namespace gray::filecache {
namespace {

// An entry is one word: the upper bits are a part of the page's hash, and the lower bits are the time of the probe in seconds.
constexpr std::uint64_t kPlaces = 1U << 14U;
constexpr unsigned kSecondBits = 32;
constexpr std::uint64_t kSecondMask = (std::uint64_t{1} << kSecondBits) - 1;

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;  // splitmix64
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

std::uint64_t hash_of(std::uint64_t device, std::uint64_t inode, std::uint64_t page) {
  return mixed(mixed(mixed(device + 1) + inode) + page);
}

}  // namespace

std::string find_user_memory() {
  for (const char* variable : {"XDG_RUNTIME_DIR", "XDG_CACHE_HOME"}) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr && *folder == '/') return std::string(folder) + "/gbp-probes";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/gbp-probes" : "";
}

ProbeMemory::ProbeMemory(const char* path) {
  if (path != nullptr)
    table_ = static_cast<std::uint64_t*>(os::map_kept_file(path, kPlaces * sizeof(std::uint64_t)));
}

ProbeMemory::~ProbeMemory() {
  if (table_ != nullptr) os::unmap_kept_file(table_, kPlaces * sizeof(std::uint64_t));
}

std::uint64_t* ProbeMemory::place_of(std::uint64_t hash) const {
  if (table_ != nullptr) return &table_[hash % kPlaces];
  return own_table_ ? &own_table_[hash % kPlaces] : nullptr;
}

void ProbeMemory::note(std::uint64_t device, std::uint64_t inode, std::uint64_t page) {
  if (table_ == nullptr && !own_table_) own_table_ = std::make_unique<std::uint64_t[]>(kPlaces);
  const std::uint64_t hash = hash_of(device, inode, page);
  const std::uint64_t entry = (hash & ~kSecondMask) | ((os::seconds_now() + 1) & kSecondMask);
  // relaxed: no other data depends on this word.
  std::atomic_ref<std::uint64_t>(*place_of(hash)).store(entry, std::memory_order_relaxed);
}

bool ProbeMemory::is_own(std::uint64_t device, std::uint64_t inode, std::uint64_t page) const {
  const std::uint64_t hash = hash_of(device, inode, page);
  std::uint64_t* place = place_of(hash);
  if (place == nullptr) return false;
  const std::uint64_t entry = std::atomic_ref<std::uint64_t>(*place).load(
      std::memory_order_relaxed);  // relaxed: no other data depends on this word
  if (entry == 0 || (entry & ~kSecondMask) != (hash & ~kSecondMask)) return false;
  const std::uint64_t since_s =
      // An entry of an earlier boot gives a huge number, and is forgotten.
      (os::seconds_now() + 1 - entry) & kSecondMask;
  return since_s <= kOwnSeconds;
}

}  // namespace gray::filecache
