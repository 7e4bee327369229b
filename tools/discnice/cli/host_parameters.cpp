// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/host_parameters.hpp"

#include <cmath>

#include <fmt/format.h>

#include "libgray/src/core/hit_classifier.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "toolbox/repo/device_identity.hpp"

namespace discnice::cli {
namespace {

// A time beyond this is no read's.
constexpr double kReadMaxNs = 1e12;

// A shipped default is a guess about somebody else's machine: judging a probe against a second one is better
// than that.
double measured(const gray::repo::Repository& repository, const char* key, const std::string& device) {
  const auto found = repository.find(key, device);
  const bool is_measured = found && found->source != gray::repo::Source::kDefault;
  return is_measured && found->parameter.value <= kReadMaxNs ? found->parameter.value : 0;
}

ProbeLimit limit_by(const std::optional<gray::timing::CachedRead>& hit_now) {
  const std::string missing =
      "neither cache.threshold_ns nor cache.hit_ns and disk.miss_ns are measured: microbench does it";
  const auto hit_ns = hit_now ? static_cast<std::uint64_t>(hit_now->hit_ns) : 0;
  if (hit_ns == 0 || !gray::core::is_hit_credible(hit_ns, false)) return {0, missing};
  return {gray::core::threshold_by_hit(hit_ns),
          fmt::format("a cached read took {} just now (measured in {}); {}",
                      gray::cli::format_duration_ns(hit_now->hit_ns),
                      gray::cli::format_duration_ns(static_cast<double>(hit_now->took_ns)), missing)};
}

}  // namespace

ProbeLimit choose_probe_limit(const gray::repo::Repository& repository, const std::string& device,
                              const std::optional<gray::timing::CachedRead>& hit_now) {
  const double threshold_ns = measured(repository, "cache.threshold_ns", device);
  if (threshold_ns >= 1) {
    return {static_cast<std::uint64_t>(threshold_ns), "cache.threshold_ns was measured on this host"};
  }
  const double hit_ns = measured(repository, "cache.hit_ns", device);
  const double miss_ns = measured(repository, "disk.miss_ns", device);
  if (hit_ns <= 0 || miss_ns <= hit_ns) return limit_by(hit_now);
  return {static_cast<std::uint64_t>(std::sqrt(hit_ns * miss_ns)),
          fmt::format("half way, on the scale of ratios, from cache.hit_ns ({}) to disk.miss_ns ({})",
                      gray::cli::format_duration_ns(hit_ns), gray::cli::format_duration_ns(miss_ns))};
}

ProbeLimit probe_limit() {
  const gray::repo::Repository repository(gray::repo::default_places());
  for (const std::string& problem : repository.problems()) gray::cli::warn("{}", problem);
  const std::string device = gray::repo::device_identity(".").value_or("");
  const ProbeLimit limit = choose_probe_limit(repository, device);
  if (limit.hit_max_ns != 0) return limit;
  const auto timed = gray::timing::time_cached_read();
  return timed ? choose_probe_limit(repository, device, timed.value()) : limit;
}

}  // namespace discnice::cli
