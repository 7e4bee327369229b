// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/host_parameters.hpp"

#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include <fmt/core.h>

#include "libgray/src/core/hit_classifier.hpp"
#include "toolbox/base/readahead_rules.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "toolbox/repo/device_identity.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"

namespace discnice::cli {
namespace {

// No read takes longer than this time.
constexpr double kReadMaxNs = 1e12;

constexpr const char* kRandomReadKey = "disk.random_read_ns";
constexpr const char* kReadaheadRulesKey = "disk.readahead_rules";

// Returns the name of the oldest kernel release that most likely follows these rules, for a person.
std::string release_with(gray::base::ReadaheadRules rules) {
  for (const int release : {5000, 5012, 6000, 6006, 6011, 6017}) {
    if (gray::base::rules_of_release(release) == rules)
      return fmt::format("Linux {}.{}", release / 1000, release % 1000);
  }
  return fmt::format("no release as it was published (rules {:#x})", rules);
}

// Places of words in a line of mountinfo. kMountPlaceWord counts from the beginning of the line and leads to the place of the mount. kMountSourceWord
// counts from the dash that ends the optional words, and leads to the mounted device.
constexpr std::size_t kMountPlaceWord = 4;
constexpr std::ptrdiff_t kMountSourceWord = 2;

// Returns 0 for a shipped default. A shipped default is a guess about another machine. Comparing each probe with a second probe is better than
// such a guess.
double measured(const gray::repo::Repository& repository, const char* key, const std::string& device) {
  const auto found = repository.find(key, device);
  const bool is_measured = found && found->source != gray::repo::Source::kDefault;
  return is_measured && found->parameter.value <= kReadMaxNs ? found->parameter.value : 0;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The table of mounts writes a blank, and similar characters, as a backslash and three octal digits.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain += static_cast<char>(std::strtoul(text.substr(i + 1, 3).c_str(), nullptr, 8));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// Returns 0 when `source` is no block device with counters.
std::uint64_t disk_of_source(const std::string& source) {
  struct stat info {};
  const bool is_block_device =
      source.rfind("/dev/", 0) == 0 && stat(source.c_str(), &info) == 0 && S_ISBLK(info.st_mode);
  return is_block_device ? outputs::counted_disk(info.st_rdev) : 0;
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

gray::repo::Repository host_repository() {
  gray::repo::Repository repository(gray::repo::default_places());
  for (const std::string& problem : repository.problems()) gray::cli::warn("{}", problem);
  return repository;
}

ProbeLimit probe_limit(const gray::repo::Repository& repository) {
  const std::string device = gray::repo::device_identity(".").value_or("");
  const ProbeLimit limit = choose_probe_limit(repository, device);
  if (limit.hit_max_ns != 0) return limit;
  const auto timed = gray::timing::time_cached_read();
  return timed ? choose_probe_limit(repository, device, timed.value()) : limit;
}

std::string random_read_text(const gray::repo::Repository& repository) {
  const double read_ns = measured(repository, kRandomReadKey, gray::repo::device_identity(".").value_or(""));
  if (read_ns > 0)
    return fmt::format("a random read takes {}: {} was measured on this host",
                       gray::cli::format_duration_ns(read_ns), kRandomReadKey);
  return fmt::format(
      "how long a random read takes is learned from the job's own: {} is not measured: microbench does it",
      kRandomReadKey);
}

std::uint16_t measured_readahead_rules(const gray::repo::Repository& repository) {
  const auto found = repository.find(kReadaheadRulesKey, gray::repo::device_identity(".").value_or(""));
  if (!found || found->source == gray::repo::Source::kDefault) return protocol::kRulesNotMeasured;
  const double value = found->parameter.value;
  const bool is_known = value >= 0 && value <= gray::base::kAllReadaheadRules && value == std::floor(value);
  return is_known ? static_cast<std::uint16_t>(value) : protocol::kRulesNotMeasured;
}

std::string readahead_text(const gray::repo::Repository& repository) {
  const std::uint16_t measured = measured_readahead_rules(repository);
  if (measured != protocol::kRulesNotMeasured)
    return fmt::format("read-ahead is predicted as {} does it: {} was measured on this host",
                       release_with(measured), kReadaheadRulesKey);
  utsname kernel{};
  uname(&kernel);
  return fmt::format(
      "read-ahead is predicted as a kernel named '{}' most likely does it: {} is not measured: microbench "
      "does it",
      kernel.release, kReadaheadRulesKey);
}

std::vector<MountedDisk> mounted_disks(const std::string& mounts) {
  // The last mount at a place hides the mounts before it.
  std::map<std::string, std::uint64_t> disk_at;
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < kMountPlaceWord + 1 || words.end() - dash < kMountSourceWord + 1) continue;
    disk_at[unescaped(words[kMountPlaceWord])] = disk_of_source(unescaped(dash[kMountSourceWord]));
  }
  std::vector<MountedDisk> found;
  for (const auto& [place, disk] : disk_at) {
    if (disk == 0) continue;
    const auto device = gray::repo::device_identity(place);
    if (device) found.push_back({device.value(), disk});
  }
  return found;
}

std::vector<protocol::MeasuredRead> choose_measured_reads(const gray::repo::Repository& repository,
                                                          const std::vector<MountedDisk>& mounted) {
  const auto of_host = static_cast<std::uint64_t>(measured(repository, kRandomReadKey, ""));
  std::vector<protocol::MeasuredRead> reads;
  if (of_host != 0) reads.push_back({0, of_host});
  std::map<std::uint64_t, std::uint64_t> of_disk;
  for (const MountedDisk& one : mounted) {
    const auto read_ns = static_cast<std::uint64_t>(measured(repository, kRandomReadKey, one.device));
    if (read_ns != 0 && read_ns != of_host) of_disk[one.disk] = std::max(of_disk[one.disk], read_ns);
  }
  for (const auto& [disk, read_ns] : of_disk) reads.push_back({disk, read_ns});
  if (reads.size() > protocol::kMeasuredReadsMax) reads.resize(protocol::kMeasuredReadsMax);
  return reads;
}

std::vector<protocol::MeasuredRead> measured_reads(const gray::repo::Repository& repository) {
  std::ifstream file("/proc/self/mountinfo");
  const std::string mounts{std::istreambuf_iterator<char>(file), {}};
  return choose_measured_reads(repository, mounted_disks(mounts));
}

}  // namespace discnice::cli
