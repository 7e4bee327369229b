// SPDX-License-Identifier: MIT
// cache_model: tells which pages around the file pointer are in the page cache, and for how long this answer is valid.
//
// Knowledge assumed: neighbouring pages come and go together (spatial locality of caching), and pages that a read has just brought in stay for a while.
// Output observed: the kernel's own count where it gives one; otherwise the time or the refusal of one-byte reads.
// Inference drawn: a run of resident pages from the pointer onwards. With a probing oracle the model follows the paper's scheme (DiscNice, section
//   4.2): of the M bytes ahead, one page in each range of m bytes is probed, and a fast answer counts for its range. The result is kept until the
//   pointer leaves the run.
// What breaks it: proactive reclaim of idle pages (hence the lease), and a cache whose neighbours are unrelated.
#pragma once

#include <cstdint>

#include "tools/discnice/predictor/residency_oracle.hpp"

namespace discnice::predictor {

/// M and m of the paper, in pages. M is how far ahead the model looks. m is the range for which one probe is a sample.
inline constexpr std::uint64_t kRegionPages = 5 * 256;
inline constexpr std::uint64_t kStretchPages = kRegionPages / 4;

/// How far the first look after a jump reaches where pages can be counted. A count costs the kernel some 30 ns for each page, which is wasted for
/// a program that reads at random places. A look that begins at the end of the last look's run reaches twice as far, up to kRegionPages.
inline constexpr std::uint64_t kReachPagesMin = 16;

/// How long an answer is used before the oracle is asked again.
inline constexpr std::uint64_t kBeliefLeaseNs = 2'000'000'000;

/// Pages that count as resident: [first_page, end_page), until expires_ns.
struct Belief {
  std::uint64_t first_page = 0;
  std::uint64_t end_page = 0;
  std::uint64_t expires_ns = 0;
  std::uint64_t reach_pages = 0;  // how far the last look reached

  [[nodiscard]] bool covers(std::uint64_t page, std::uint64_t now_ns) const {
    return page >= first_page && page < end_page && now_ns < expires_ns;
  }
};

/// How far a look at `page` should reach when pages can be counted, for a read of `wanted_pages` from there on. Notes the result.
std::uint64_t next_reach(Belief& belief, std::uint64_t page, std::uint64_t wanted_pages);

/// Notes that [first_page, end_page) counts as resident from now on. When it touches the old run the two are joined. Otherwise it replaces the old run.
void believe(Belief& belief, std::uint64_t first_page, std::uint64_t end_page, std::uint64_t now_ns);

/// The length in pages of the resident run that starts at first_page, at most page_count_max. Pure, except that it asks the oracle.
std::uint64_t resident_run(const ResidencyOracle& oracle, std::uint64_t first_page,
                           std::uint64_t page_count_max);

/// The length of the resident run that ends just before `page`, at most page_count_max; 0 when the oracle cannot count.
std::uint64_t resident_run_before(const ResidencyOracle& oracle, std::uint64_t page,
                                  std::uint64_t page_count_max);

/// The length of the range without a resident page that starts at first_page, at most page_count_max. It is page_count_max when the oracle cannot count.
std::uint64_t absent_run(const ResidencyOracle& oracle, std::uint64_t first_page,
                         std::uint64_t page_count_max);

/// How many of these pages a read-ahead over them would have to fetch. It is all of them when the oracle cannot count.
std::uint64_t count_absent(const ResidencyOracle& oracle, std::uint64_t first_page, std::uint64_t page_count);

}  // namespace discnice::predictor
