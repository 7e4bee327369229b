// SPDX-License-Identifier: MIT
// probe_memory: remembers which pages are in the cache only because this user's programs probed them.
//
// Knowledge assumed: a probe that misses fetches its page, and the next probe of that page is a hit.
// Output observed: the misses of these probes.
// Inference drawn: a hit on such a page tells nothing about its neighbours, so another page is probed. A file without another page stays
// unknown.
// What breaks it: a page that another program has used since still counts as fetched by a probe, until kOwnSeconds have passed. If two pages have the same place in the table,
// only the later is remembered. Both cases only cost another probe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace gray::filecache {

/// How long a page counts as fetched by a probe.
inline constexpr std::uint64_t kOwnSeconds = 600;

/// The file that this user's programs share: in $XDG_RUNTIME_DIR or in the cache folder; empty where neither exists.
std::string find_user_memory();

/// One thread at a time; several processes may share one file, because each entry is one word that is written at once.
class ProbeMemory {
 public:
  /// Keeps its table in the file at `path`. If `path` is null or cannot be used, the table is in this process only.
  explicit ProbeMemory(const char* path);
  ~ProbeMemory();
  ProbeMemory(const ProbeMemory&) = delete;
  ProbeMemory& operator=(const ProbeMemory&) = delete;

  void note(std::uint64_t device, std::uint64_t inode, std::uint64_t page);
  [[nodiscard]] bool is_own(std::uint64_t device, std::uint64_t inode, std::uint64_t page) const;

 private:
  [[nodiscard]] std::uint64_t* place_of(std::uint64_t hash) const;

  mutable std::unique_ptr<std::uint64_t[]> own_table_;  // made when it is first needed
  std::uint64_t* table_ = nullptr;                      // the file's, or own_table_
};

}  // namespace gray::filecache
