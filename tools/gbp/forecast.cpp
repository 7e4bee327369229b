// SPDX-License-Identifier: MIT
#include "tools/gbp/forecast.hpp"

#include <algorithm>
#include <limits>

#include <sys/sysinfo.h>

#include <fmt/core.h>

#include <gray/alloc.h>

#include "toolbox/cli/quantities.hpp"

namespace gbp {
namespace {

// A gain below this is no larger than the difference between two runs of the same program.
constexpr double kGainMin = 1.1;

double seconds(double disk_share, double bytes, double disk_bytes_per_s, double memory_bytes_per_s) {
  return bytes * (disk_share / disk_bytes_per_s + (1 - disk_share) / memory_bytes_per_s);
}

std::string time_text(const std::optional<double>& scan_s) {
  return scan_s ? gray::cli::format_duration_ns(*scan_s * 1e9) + " predicted" : "not known";
}

std::string verdict_of(const Forecast& forecast) {
  const auto set = static_cast<double>(forecast.set_bytes);
  if (forecast.set_bytes == 0) return "no win: there is nothing to read";
  if (forecast.cached_bytes >= 0.999 * set) return "no win: all of it is in memory";
  if (forecast.unknown_bytes > forecast.set_bytes / 2)
    return "cannot tell: what is cached of most of it can't be known without reading it";
  if (forecast.gain_repeated < kGainMin && forecast.gain_now < kGainMin && forecast.disk_share_min == 0)
    return "no win: it all fits in memory, and one pass has to bring it in";
  if (forecast.gain_repeated < kGainMin && forecast.gain_now < kGainMin)
    return "no win: memory holds too little of it";
  return fmt::format("expect {:.1f}x now and {:.1f}x in every further pass", forecast.gain_now,
                     forecast.gain_repeated);
}

}  // namespace

Forecast forecast(const std::vector<File>& files, const std::vector<File>& best,
                  std::uint64_t cache_bytes_max, const ScanRates& rates) {
  Forecast result;
  result.cache_bytes_max = cache_bytes_max;
  for (const File& file : files) {
    if (file.error != 0) continue;
    result.set_bytes += file.size_bytes;
    if (file.cached_fraction < 0) {
      result.unknown_bytes += file.size_bytes;
    } else {
      result.cached_bytes += static_cast<double>(file.cached_fraction) * static_cast<double>(file.size_bytes);
    }
  }
  if (result.set_bytes > 0) {
    const auto set = static_cast<double>(result.set_bytes);
    result.disk_share_min = std::max(0.0, 1 - static_cast<double>(cache_bytes_max) / set);
    // In a fixed order a set larger than the cache is read anew in each pass. A set that fits stays cached.
    const bool is_cache_lost = result.disk_share_min > 0;
    const double cached_share = result.cached_bytes / set;
    const auto by_bytes = [&](double disk_share) {
      return seconds(disk_share, set, rates.disk_bytes_per_s, rates.memory_bytes_per_s);
    };
    result.given_s = scan_seconds(files, rates.speeds, rates.memory_bytes_per_s, is_cache_lost);
    result.best_s = scan_seconds(best, rates.speeds, rates.memory_bytes_per_s, false);
    const double fixed_s = result.given_s.value_or(by_bytes(is_cache_lost ? 1 : 1 - cached_share));
    result.gain_now = fixed_s / result.best_s.value_or(by_bytes(1 - cached_share));
    if (is_cache_lost) {
      const double lost_s =
          scan_seconds(best, rates.speeds, rates.memory_bytes_per_s, true).value_or(by_bytes(1));
      const double kept_s = set / rates.memory_bytes_per_s;
      result.gain_repeated =
          fixed_s / (result.disk_share_min * lost_s + (1 - result.disk_share_min) * kept_s);
    }
  }
  result.verdict = verdict_of(result);
  return result;
}

// Asks for all memory that a program could get, including memory now used as file cache.
std::uint64_t cache_bytes_max_now() {
  gb_alloc_options options{};
  options.size = sizeof options;
  options.flags = GB_ALLOC_FILES;
  std::size_t bytes = 0;
  return gb_available(0, std::numeric_limits<std::size_t>::max() / 2, 1, &bytes, &options) == 0 ? bytes : 0;
}

// Gives no value without a limit below the host's memory: the free memory of the whole host is only the memory that its kernel keeps free
// for itself.
std::optional<std::uint64_t> free_bytes_now() {
  gb_alloc_options options{};
  options.size = sizeof options;
  options.cache = GB_CACHE_KEEP;
  options.margin_bytes = 1;  // practically no margin; 0 would mean the library's default
  options.signals_off = GB_SIGNAL_CLAIMS;
  std::size_t bytes = 0;
  if (gb_available(0, std::numeric_limits<std::size_t>::max() / 2, 1, &bytes, &options) != 0)
    return std::nullopt;
  struct sysinfo host {};
  if (sysinfo(&host) != 0 || bytes >= std::uint64_t{host.freeram} * host.mem_unit / 2) return std::nullopt;
  return bytes;
}

std::string describe(const Forecast& forecast, const std::string& device_class) {
  const auto set = static_cast<double>(std::max<std::uint64_t>(forecast.set_bytes, 1));
  std::string text = fmt::format("set             {}\n", gray::cli::format_bytes(forecast.set_bytes));
  text += fmt::format("cached          {} ({:.1f} %)\n",
                      gray::cli::format_bytes(static_cast<std::uint64_t>(forecast.cached_bytes)),
                      100 * forecast.cached_bytes / set);
  if (forecast.unknown_bytes > 0)
    text += fmt::format("unknown         {}\n", gray::cli::format_bytes(forecast.unknown_bytes));
  text += fmt::format("memory for it   {}\n", gray::cli::format_bytes(forecast.cache_bytes_max));
  text +=
      fmt::format("disk, at best   {:.1f} % of the set a pass (1 - C/S)\n", 100 * forecast.disk_share_min);
  text += fmt::format("device          {}\n", device_class);
  text += fmt::format("as given        {}\n", time_text(forecast.given_s));
  text += fmt::format("best order      {}\n", time_text(forecast.best_s));
  return text + fmt::format("verdict         {}\n", forecast.verdict);
}

}  // namespace gbp
