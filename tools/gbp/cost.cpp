// SPDX-License-Identifier: MIT
#include "tools/gbp/cost.hpp"

#include "toolbox/cli/diagnostics.hpp"

namespace gbp {
namespace {

constexpr std::uint64_t kBudgetForNothing = 1;  // bytes: no page fits in

}  // namespace

gb_cache_t* open_detector(const Wanted& wanted, gb_backend_t backend, bool may_probe) {
  gb_cache_options options{};
  options.size = sizeof options;
  options.backend = backend;
  if (may_probe) {
    options.prediction_unit_bytes = wanted.host->prediction_unit_bytes;
    options.hit_time_max_ns = wanted.host->hit_time_max_ns;
    if (!wanted.host->memory_path.empty()) options.memory_path = wanted.host->memory_path.c_str();
  } else {
    options.probe_budget_bytes = kBudgetForNothing;
  }
  gb_cache_t* detector = nullptr;
  const gb_status_t status = gb_cache_open(&options, &detector);
  if (status != 0) gray::cli::warn("no detector: {}", gb_status_text(status));
  return detector;
}

}  // namespace gbp
