// SPDX-License-Identifier: MIT
// parts: the parts of one file in the order in which they are streamed, the cached ones first.
//
// Knowledge assumed: the kernel evicts what was used longest ago, and of a file whose cached parts are read in one order again and again that
// is the part which comes next. Output observed: what of each part is cached, of all before the first is read and of each again just before
// its turn. Inference drawn: a part that was evicted meanwhile waits until the cached ones have been read: fetched in its turn, it would push
// out the next, and that one the next, to the end of the file. What breaks it: where only probes tell what is cached they fetch pages
// themselves, so the parts are as long as the host's access unit there, and nobody looks twice.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/gbp/cost.hpp"

namespace gbp {

struct CloseCache {
  void operator()(gb_cache_t* detector) const { gb_cache_close(detector); }
};
using Detector = std::unique_ptr<gb_cache_t, CloseCache>;

/// The units of a file in the library's best order, as long as the host's access unit; none with `status` an error.
std::vector<gb_cache_unit> units_of_file(gb_cache_t* detector, const char* path, std::uint64_t record_bytes,
                                         const Wanted& wanted, gb_status_t& status);

/// How much of a part is cached, as far as it decides what is done with the part.
enum class Cached {
  all,   // read at once
  some,  // its missing pages are fetched; unknown counts as this
  none,  // all of it is fetched, and nobody else's page is lost if it is given back
};
Cached cached_of(const gb_cache_unit& part);

/// The parts of one file. Those that follow one another both in the file and in the order are given as one.
class Parts {
 public:
  /// `detector` and `path` must outlive it.
  Parts(gb_cache_t* detector, const char* path) : detector_(detector), path_(path) {}

  /// Looks at the whole file. Parts hold whole records of `record_bytes` (0: no records).
  gb_status_t find(std::uint64_t record_bytes, const Wanted& wanted);

  /// The next parts to read of those that are cached as a whole, in their order; none at the end.
  std::vector<gb_cache_unit> next_cached();

  /// After the last of those: what is cached of the others, page by page, some of them at a time; none at the end.
  std::vector<gb_cache_unit> next_pages();

  /// After the last of those: the parts that are left, in their order.
  std::vector<gb_cache_unit> rest() const;

 private:
  std::vector<gb_cache_unit> look_again(const std::vector<gb_extent>& extents) const;
  bool take_cached();

  gb_cache_t* detector_;
  const char* path_;
  std::vector<gb_cache_unit> cached_;  // from `cached_next_` on not yet looked at again
  std::size_t cached_next_ = 0;
  std::vector<gb_cache_unit> still_cached_;
  std::vector<gb_cache_unit> others_;
  std::size_t pages_next_ = 0;  // of others_
  bool is_counted_ = false;     // by the kernel
};

}  // namespace gbp
