// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/host_parameters.hpp"

#include <cmath>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/repo/repository.hpp"

namespace discnice::cli {
namespace {

// A shipped default is a guess about somebody else's machine: judging a probe against a second one is better
// than that.
double measured(const gray::repo::Repository& repository, const char* key) {
  const auto found = repository.find(key);
  return found && found->source != gray::repo::Source::kDefault ? found->parameter.value : 0;
}

}  // namespace

std::uint64_t probe_hit_max_ns() {
  const gray::repo::Repository repository(gray::repo::default_places());
  for (const std::string& problem : repository.problems()) gray::cli::warn("{}", problem);
  const double hit_ns = measured(repository, "cache.hit_ns");
  const double miss_ns = measured(repository, "disk.miss_ns");
  if (hit_ns <= 0 || miss_ns <= hit_ns) return 0;
  return static_cast<std::uint64_t>(
      std::sqrt(hit_ns * miss_ns));  // half way between them on the scale of ratios
}

}  // namespace discnice::cli
