// SPDX-License-Identifier: MIT
#include "tools/gbp/host_parameters.hpp"

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/repo/repository.hpp"

namespace gbp {
namespace {

// Converts to an integer without overflow, and exceeds every file of use.
constexpr double kUnitBytesMax = 0x1p62;

}  // namespace

HostParameters read_host_parameters() {
  const gray::repo::Repository repository(gray::repo::default_places());
  for (const std::string& problem : repository.problems()) gray::cli::warn("{}", problem);
  HostParameters parameters;
  const double unit_bytes = repository.value("filecache.prediction_unit_bytes").value_or(0);
  if (unit_bytes >= 1 && unit_bytes <= kUnitBytesMax)
    parameters.prediction_unit_bytes = static_cast<std::uint64_t>(unit_bytes);
  return parameters;
}

}  // namespace gbp
