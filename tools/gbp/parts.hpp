// SPDX-License-Identifier: MIT
// parts: the parts of one file in the order in which they are streamed, the cached ones first.
//
// Knowledge assumed: the kernel evicts the page that was used longest ago. When the cached parts of a file are read in one order again and again, that
// page is in the part which comes next.
// Output observed: how much of each part is cached; of all parts before the first one is read, and of each part again just before its turn.
// Inference drawn: a part that was evicted meanwhile waits until the cached ones have been read. If it were fetched in its turn, it would push
// out the next one, and that one the next, to the end of the file. If one part was evicted, the next part will be evicted soon. So the reader goes on at the other end
// of the file; then the evicted parts make one hole and not many.
// What breaks it: where only probes tell what is cached, the probes fetch pages themselves. There the parts are as long as the host's access unit, and no part is
// looked at twice.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tools/gbp/cost.hpp"

namespace gbp {

/// The units of a file in the library's best order, as long as the host's access unit; none with `status` an error.
std::vector<gb_cache_unit> units_of_file(gb_cache_t* detector, const char* path, std::uint64_t record_bytes,
                                         const Wanted& wanted, gb_status_t& status);

/// The same, and each unit is as long as `length_bytes` says.
std::vector<gb_cache_unit> units_of_length(gb_cache_t* detector, const char* path, std::uint64_t length_bytes,
                                           gb_status_t& status);

/// The classes of parts by how much is cached, as far as that decides what is done with a part.
enum class Cached {
  all,   // read at once
  some,  // its missing pages are fetched; unknown counts as this
  none,  // all of it is fetched, and nobody else's page is lost if it is given back
};
Cached cached_of(const gb_cache_unit& part);

/// The parts of one file. Parts that follow one another both in the file and in the order are joined.
class Parts {
 public:
  /// `detector` and `path` must outlive this object.
  Parts(gb_cache_t* detector, const char* path) : detector_(detector), path_(path) {}

  /// Looks at the whole file. Parts hold whole records of `record_bytes` (0: no records).
  gb_status_t find(std::uint64_t record_bytes, const Wanted& wanted);

  /// The end of the last part: the length of the file when find() looked.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// The next parts to read among those that are wholly cached, in the order of the file. Empty at the end.
  std::vector<gb_cache_unit> next_cached();

  /// The parts that are not wholly cached, in the best order to fetch them. Parts that next_cached() finds evicted are added at the end. (If nobody counts what is cached: all
  /// parts.)
  [[nodiscard]] const std::vector<gb_cache_unit>& others() const { return others_; }

  /// How many bytes next_cached() has found evicted so far.
  [[nodiscard]] std::uint64_t evicted_bytes() const { return evicted_bytes_; }

  /// Orders the other parts from `first` on again, with those that were added at the end.
  void sort_others(std::size_t first);

  /// The cached pages of the other parts, some parts at a time. Empty at the end, until more parts are added.
  std::vector<gb_cache_unit> next_pages();

 private:
  std::vector<gb_cache_unit> look_again(const std::vector<gb_extent>& extents) const;
  bool take_cached();

  gb_cache_t* detector_;
  const char* path_;
  std::deque<gb_cache_unit> cached_;  // not yet looked at again, as they lie
  bool is_from_end_ = true;
  std::vector<gb_cache_unit> still_cached_;
  std::vector<gb_cache_unit> others_;
  std::size_t pages_next_ = 0;    // of others_
  std::size_t sorted_count_ = 0;  // of others_
  std::uint64_t evicted_bytes_ = 0;
  std::uint64_t bytes_ = 0;
  bool is_counted_ = false;  // by the kernel
};

}  // namespace gbp
