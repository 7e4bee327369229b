// SPDX-License-Identifier: MIT
#include "tools/gbp/verify.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/gbp/emit.hpp"

namespace gbp {
namespace {

// A unit with a share between these counts as partly cached.
constexpr double kShareMin = 0.1;
constexpr double kShareMax = 0.9;
constexpr std::uint64_t kUnitBytesDefault = 5 * gray::base::kMiB;

struct ClosePlan {
  void operator()(gb_cache_plan_t* plan) const { gb_cache_plan_free(plan); }
};

using Shares = std::map<std::pair<std::size_t, std::uint64_t>, gb_cache_unit>;  // by file and offset

// Asks a backend for the share of every unit. False if a file could not be examined.
bool ask(const Names& names, const Wanted& wanted, gb_backend_t backend, Shares& shares) {
  const Detector detector(open_detector(wanted, backend));
  if (!detector) return false;
  gb_cache_plan_options options{};
  options.size = sizeof options;
  options.access_unit_bytes =
      wanted.host->prediction_unit_bytes != 0 ? wanted.host->prediction_unit_bytes : kUnitBytesDefault;
  bool is_whole = true;
  for (std::size_t i = 0; i < names.size(); ++i) {
    gb_cache_plan_t* made = nullptr;
    const gb_status_t status = gb_cache_plan_file(detector.get(), names[i], &options, &made);
    const std::unique_ptr<gb_cache_plan_t, ClosePlan> plan(made);
    if (status != 0 && backend == GB_BACKEND_AUTO)
      gray::cli::warn("'{}': {}", names[i], gb_status_text(status));
    is_whole = is_whole && status == 0;
    for (std::size_t rank = 0; rank < gb_cache_plan_count(made); ++rank) {
      gb_cache_unit unit{};
      unit.size = sizeof unit;
      if (gb_cache_plan_unit(made, rank, &unit) == 0) shares[{i, unit.offset_bytes}] = unit;
    }
  }
  return is_whole;
}

struct Agreement {
  std::size_t compared = 0;
  std::size_t agreed = 0;
  std::size_t in_part = 0;
  std::size_t unknown = 0;
};

Agreement compare(const Shares& truth, const Shares& probed) {
  Agreement result;
  for (const auto& [key, unit] : truth) {
    const auto found = probed.find(key);
    if (unit.backend > GB_BACKEND_MINCORE || found == probed.end()) continue;
    if (found->second.cached_fraction < 0) {
      ++result.unknown;
    } else if (unit.cached_fraction > kShareMin && unit.cached_fraction < kShareMax) {
      ++result.in_part;
    } else {
      ++result.compared;
      if ((unit.cached_fraction >= kShareMax) == (found->second.cached_fraction >= 0.5)) ++result.agreed;
    }
  }
  return result;
}

}  // namespace

int verify(const Names& names, const Wanted& wanted) {
  Shares truth;
  int exit_status =
      ask(names, wanted, GB_BACKEND_AUTO, truth) ? gray::cli::kExitSuccess : gray::cli::kExitSomeFailed;
  std::size_t compared = 0;
  for (const gb_backend_t backend : {GB_BACKEND_TIMED, GB_BACKEND_NOWAIT, GB_BACKEND_FAULT, GB_BACKEND_END}) {
    Shares probed;
    ask(names, wanted, backend, probed);
    const Agreement found = compare(truth, probed);
    compared += found.compared;
    const double percent =
        found.compared == 0 ? 0
                            : 100.0 * static_cast<double>(found.agreed) / static_cast<double>(found.compared);
    const std::string line = fmt::format(
        "{:8} {:6} units compared, {:6} agree ({:.2f} %), {} cached in part, {} unknown\n",
        backend_name(backend), found.compared, found.agreed, percent, found.in_part, found.unknown);
    std::fwrite(line.data(), 1, line.size(), stdout);
  }
  if (compared == 0) {
    gray::cli::warn(
        "nothing to compare: the kernel gives no count of these files to this user that could be believed");
    exit_status = gray::cli::kExitSomeFailed;
  }
  return exit_status;
}

}  // namespace gbp
