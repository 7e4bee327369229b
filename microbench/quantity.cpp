// SPDX-License-Identifier: MIT
#include "microbench/quantity.hpp"

#include <cmath>
#include <cstdint>

#include <fmt/core.h>

#include "toolbox/cli/quantities.hpp"

namespace microbench {

std::string format_quantity(double value, std::string_view unit) {
  if (unit == "ns") return gray::cli::format_duration_ns(value);
  if (unit == "bytes") return gray::cli::format_bytes(static_cast<std::uint64_t>(std::llround(value)));
  if (unit == "bytes/s") return gray::cli::format_rate(value);
  if (unit == "1") return fmt::format("{:.3g}", value);
  return fmt::format("{:.3g} {}", value, unit);
}

}  // namespace microbench
