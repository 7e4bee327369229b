// SPDX-License-Identifier: MIT
// parts: the parts of one file in the order in which they are streamed, the cached ones first.
//
// Knowledge assumed: the kernel evicts the page that was used longest ago. When the cached parts of a file are read in one order again and again, that
// page is in the part which comes next.
// Output observed: how much of each part is cached. All parts are examined before the first part is read, and each part again just before
// its turn.
// Inference drawn: a part that was evicted in the meantime waits until the cached parts have been read. If it were fetched in its turn, the next part would be
// evicted, and then the part after that, to the end of the file. Where one part was evicted, the next part will soon be evicted. So the reader continues at the
// other end of the file. Then the evicted parts make one hole instead of many.
// What breaks it: a host on which only probes find the cached pages, because the probes themselves fetch pages. There the parts are as long as the host's
// access unit, and no part is examined twice.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tools/gbp/cost.hpp"

namespace gbp {

/// The units of a file in the library's best order, as long as the host's access unit. Empty if `status` is an error.
std::vector<gb_cache_unit> units_of_file(gb_cache_t* detector, const char* path, std::uint64_t record_bytes,
                                         const Wanted& wanted, gb_status_t& status);

/// Same as units_of_file(), with units of `length_bytes`.
std::vector<gb_cache_unit> units_of_length(gb_cache_t* detector, const char* path, std::uint64_t length_bytes,
                                           gb_status_t& status);

/// How much of a part is cached, in the three classes that decide how the part is treated.
enum class Cached {
  all,   // all of the part is cached: it is read directly
  some,  // its missing pages are fetched; unknown counts as this
  none,  // all of it is fetched; dropping it afterwards loses no page that was cached before
};
Cached cached_of(const gb_cache_unit& part);

/// The parts of one file. Parts that follow one another both in the file and in the order are joined.
class Parts {
 public:
  /// `detector` and `path` must outlive this object.
  Parts(gb_cache_t* detector, const char* path) : detector_(detector), path_(path) {}

  /// Examines the whole file. Parts hold whole records of `record_bytes` (0: no records).
  gb_status_t find(std::uint64_t record_bytes, const Wanted& wanted);

  /// The end of the last part: the length of the file at the time of find().
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// The next parts to read of the wholly cached parts, in their order in the file; empty at the end.
  std::vector<gb_cache_unit> next_cached();

  /// The parts that are not wholly cached, in the best order to fetch them. Parts that next_cached() finds evicted are appended. (Where the kernel does not count cached pages:
  /// all parts.)
  [[nodiscard]] const std::vector<gb_cache_unit>& others() const { return others_; }

  /// How many bytes next_cached() has found evicted so far.
  [[nodiscard]] std::uint64_t evicted_bytes() const { return evicted_bytes_; }

  /// Sorts others() again from `first` on, including the appended parts.
  void sort_others(std::size_t first);

  /// The cached pages of others(), for a few parts at a time; empty at the end, until more parts are appended.
  std::vector<gb_cache_unit> next_pages();

 private:
  std::vector<gb_cache_unit> look_again(const std::vector<gb_extent>& extents) const;
  bool take_cached();

  gb_cache_t* detector_;
  const char* path_;
  // Cached parts that were not yet examined again, in their order in the file.
  std::deque<gb_cache_unit> cached_;
  bool is_from_end_ = true;
  std::vector<gb_cache_unit> still_cached_;
  std::vector<gb_cache_unit> others_;
  std::size_t pages_next_ = 0;    // of others_
  std::size_t sorted_count_ = 0;  // of others_
  std::uint64_t evicted_bytes_ = 0;
  std::uint64_t bytes_ = 0;
  bool is_counted_ = false;  // whether the kernel counts cached pages
};

}  // namespace gbp
