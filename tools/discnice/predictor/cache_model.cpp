// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/cache_model.hpp"

namespace discnice::predictor {
namespace {

std::uint64_t smaller(std::uint64_t a, std::uint64_t b) {
  return a < b ? a : b;
}

// The longest fully resident prefix, by bisection on the kernel's count.
std::uint64_t counted_run(const ResidencyOracle& oracle, std::uint64_t first_page,
                          std::uint64_t page_count_max) {
  if (oracle.count_resident(oracle.context, first_page, page_count_max) == page_count_max)
    return page_count_max;
  std::uint64_t resident = 0;             // a prefix of this length is resident
  std::uint64_t broken = page_count_max;  // one of this length is not
  std::uint64_t length = 1;               // most answers are "none": look there first
  while (resident + 1 < broken || length == 1) {
    if (oracle.count_resident(oracle.context, first_page, length) == length) {
      resident = length;
    } else {
      broken = length;
    }
    if (broken <= resident + 1) break;
    length = resident + (broken - resident) / 2;
  }
  return resident;
}

// The paper's scheme: the last page of each part stands for the whole part.
std::uint64_t probed_run(const ResidencyOracle& oracle, std::uint64_t first_page,
                         std::uint64_t page_count_max) {
  std::uint64_t run = 0;
  while (run < page_count_max) {
    const std::uint64_t next = smaller(run + kStretchPages, page_count_max);
    if (oracle.probe(oracle.context, first_page + next - 1) != Answer::hit) break;
    run = next;
  }
  return run;
}

}  // namespace

std::uint64_t next_reach(Belief& belief, std::uint64_t page, std::uint64_t wanted_pages) {
  const bool goes_on = belief.end_page != 0 && page == belief.end_page;
  const std::uint64_t reach = goes_on ? 2 * belief.reach_pages : kReachPagesMin;
  belief.reach_pages = smaller(reach > wanted_pages ? reach : wanted_pages, kRegionPages);
  return belief.reach_pages;
}

void believe(Belief& belief, std::uint64_t first_page, std::uint64_t end_page, std::uint64_t now_ns) {
  const bool is_current = now_ns < belief.expires_ns;
  const bool do_touch = first_page <= belief.end_page && end_page >= belief.first_page;
  if (is_current && do_touch) {
    belief.first_page = smaller(belief.first_page, first_page);
    belief.end_page = belief.end_page > end_page ? belief.end_page : end_page;
  } else {
    belief.first_page = first_page;
    belief.end_page = end_page;
  }
  belief.expires_ns = now_ns + kBeliefLeaseNs;
}

std::uint64_t resident_run(const ResidencyOracle& oracle, std::uint64_t first_page,
                           std::uint64_t page_count_max) {
  const std::uint64_t page_count = smaller(page_count_max, kRegionPages);
  if (page_count == 0) return 0;
  if (oracle.is_exact()) return counted_run(oracle, first_page, page_count);
  if (oracle.probe != nullptr) return probed_run(oracle, first_page, page_count);
  return 0;
}

std::uint64_t resident_run_before(const ResidencyOracle& oracle, std::uint64_t page,
                                  std::uint64_t page_count_max) {
  if (!oracle.is_exact()) return 0;
  const std::uint64_t reach = smaller(page, page_count_max);
  if (reach == 0 || oracle.count_resident(oracle.context, page - 1, 1) == 0) return 0;
  std::uint64_t resident = 1;
  std::uint64_t broken = reach + 1;
  while (resident + 1 < broken) {
    const std::uint64_t length = resident + (broken - resident) / 2;
    if (oracle.count_resident(oracle.context, page - length, length) == length) {
      resident = length;
    } else {
      broken = length;
    }
  }
  return resident;
}

std::uint64_t absent_run(const ResidencyOracle& oracle, std::uint64_t first_page,
                         std::uint64_t page_count_max) {
  if (!oracle.is_exact()) return page_count_max;
  const auto is_absent = [&](std::uint64_t length) {
    return oracle.count_resident(oracle.context, first_page, length) == 0;
  };
  std::uint64_t absent = 0;  // a prefix of this length is absent
  std::uint64_t broken =
      1;  // one of this length is not; doubled until that is so, for runs are short or endless
  while (broken <= page_count_max && is_absent(broken)) {
    absent = broken;
    broken *= 2;
  }
  if (broken > page_count_max) {
    if (absent == page_count_max || is_absent(page_count_max)) return page_count_max;
    broken = page_count_max;
  }
  while (absent + 1 < broken) {
    const std::uint64_t length = absent + (broken - absent) / 2;
    (is_absent(length) ? absent : broken) = length;
  }
  return absent;
}

std::uint64_t count_absent(const ResidencyOracle& oracle, std::uint64_t first_page,
                           std::uint64_t page_count) {
  if (page_count == 0 || !oracle.is_exact()) return page_count;
  return page_count - smaller(page_count, oracle.count_resident(oracle.context, first_page, page_count));
}

}  // namespace discnice::predictor
