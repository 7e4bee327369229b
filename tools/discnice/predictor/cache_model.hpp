// SPDX-License-Identifier: MIT
// cache_model: predicts which pages around the file pointer are in the page cache, and for how long this is believed.
//
// Knowledge assumed: neighbouring pages live and die together (spatial locality of caching), and what a read has just brought in stays for a while.
// Output observed: the kernel's own count where it gives one; otherwise the time or the refusal of one-byte reads.
// Inference drawn: a run of resident pages from the pointer onwards. With a probing oracle it is the paper's scheme (DiscNice, section 4.2): of the M
//   bytes ahead, one page in each stretch of m is looked at, and a fast answer vouches for its stretch. The result is kept until the pointer leaves
//   the run.
// What breaks it: proactive reclaim of idle pages (hence the lease), and a cache whose neighbours are unrelated.
#pragma once

#include <cstdint>

#include "tools/discnice/predictor/residency_oracle.hpp"

namespace discnice::predictor {

/// The paper's M and m, in pages: how far ahead a look reaches, and the part of the file that one probe stands for.
inline constexpr std::uint64_t kRegionPages = 5 * 256;
inline constexpr std::uint64_t kStretchPages = kRegionPages / 4;

/// How far the first look after a jump reaches if pages can be counted. The kernel needs some 30 ns to count a page, and this is wasted if a program reads at random places. Each
/// look that begins where the last run ended reaches twice as far, up to kRegionPages.
inline constexpr std::uint64_t kReachPagesMin = 16;

/// For how long a belief is kept without asking again.
inline constexpr std::uint64_t kBeliefLeaseNs = 2'000'000'000;

/// Pages believed resident: [first_page, end_page), until expires_ns.
struct Belief {
  std::uint64_t first_page = 0;
  std::uint64_t end_page = 0;
  std::uint64_t expires_ns = 0;
  std::uint64_t reach_pages = 0;  // of the last look

  [[nodiscard]] bool covers(std::uint64_t page, std::uint64_t now_ns) const {
    return page >= first_page && page < end_page && now_ns < expires_ns;
  }
};

/// How far a look at `page` must reach if pages can be counted, for a read of `wanted_pages` from there on. Notes this look.
std::uint64_t next_reach(Belief& belief, std::uint64_t page, std::uint64_t wanted_pages);

/// Adds [first_page, end_page) to the believed pages. It is joined to the old run if the two touch; otherwise it replaces the old run.
void believe(Belief& belief, std::uint64_t first_page, std::uint64_t end_page, std::uint64_t now_ns);

/// The number of pages in the resident run that starts at first_page, at most page_count_max. Asks the oracle; otherwise pure.
std::uint64_t resident_run(const ResidencyOracle& oracle, std::uint64_t first_page,
                           std::uint64_t page_count_max);

/// The number of pages in the resident run that ends just before `page`, at most page_count_max; 0 if the oracle cannot count.
std::uint64_t resident_run_before(const ResidencyOracle& oracle, std::uint64_t page,
                                  std::uint64_t page_count_max);

/// The number of pages from first_page on up to the next resident page, at most page_count_max. It is page_count_max if the oracle cannot count.
std::uint64_t absent_run(const ResidencyOracle& oracle, std::uint64_t first_page,
                         std::uint64_t page_count_max);

/// How many of these pages a read-ahead over them would have to fetch. All of them if the oracle cannot count.
std::uint64_t count_absent(const ResidencyOracle& oracle, std::uint64_t first_page, std::uint64_t page_count);

}  // namespace discnice::predictor
