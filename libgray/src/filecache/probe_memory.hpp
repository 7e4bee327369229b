// SPDX-License-Identifier: MIT
// probe_memory: remembers which pages are cached only because this library probed them.
//
// Knowledge assumed: a probe that misses brings its page in, and the next probe of that page finds it.
// Output observed: our own misses.
// Inference drawn: a hit on such a page says nothing of its neighbours, so another page is asked; a file that has no
// other stays unknown.
// What breaks it: if another program has used the page since, the page still counts as brought in by a probe, until kOwnSeconds have passed. If two pages have the same place in
// the table, the later one is remembered. Both only cost a probe elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace gray::filecache {

/// How long a page counts as brought in by a probe.
inline constexpr std::uint64_t kOwnSeconds = 600;

/// The file that this user's programs share: below $XDG_RUNTIME_DIR, or in the cache folder. Empty if there is neither.
std::string find_user_memory();

/// One thread at a time. Several processes may share one file, because each entry is written in one piece.
class ProbeMemory {
 public:
  /// Uses the file at `path` to remember, or the memory of this process if `path` is null or can't be used.
  explicit ProbeMemory(const char* path);
  ~ProbeMemory();
  ProbeMemory(const ProbeMemory&) = delete;
  ProbeMemory& operator=(const ProbeMemory&) = delete;

  void note(std::uint64_t device, std::uint64_t inode, std::uint64_t page);
  [[nodiscard]] bool is_own(std::uint64_t device, std::uint64_t inode, std::uint64_t page) const;

 private:
  [[nodiscard]] std::uint64_t* place_of(std::uint64_t hash) const;

  mutable std::unique_ptr<std::uint64_t[]> own_table_;  // made when first needed
  std::uint64_t* table_ = nullptr;                      // the file's, or own_table_
};

}  // namespace gray::filecache
