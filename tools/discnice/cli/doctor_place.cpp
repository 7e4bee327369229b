// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/doctor_place.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/base/fd.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/repo/device_identity.hpp"
#include "tools/discnice/cli/doctor_cache.hpp"
#include "tools/discnice/cli/doctor_trial.hpp"

namespace discnice::cli {
namespace {

namespace fs = std::filesystem;
using gray::base::ScopedFd;

constexpr char kWritableFolder[] = "a folder on this file system that you may write to";
constexpr double kDayS = 24 * 60 * 60;

std::string folder_of(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return path;
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Returns the name and number of a disk, such as "sda (8:0)".
std::string disk_name(std::uint64_t disk) {
  if (disk == 0) return "";
  std::error_code error;
  const std::string number = number_text(disk);
  const auto place = fs::canonical("/sys/dev/block/" + number, error);
  return error ? number : fmt::format("{} ({})", place.filename().string(), number);
}

Check check_rate(int fd) {
  Check check{"rate", "a rate", Health::works, ""};
  check.is_main = true;
  const Trial trial = run_held_trial({}, fd);
  if (is_held(trial)) {
    check.why =
        fmt::format("{} KiB to write at 1 MiB/s were held for {:.2f} s", kTrialBytes / 1024, trial.held_s);
    if (trial.kernel_write_bytes.value_or(0) >= kTrialBytes) return check;
    check.health = Health::partly;
    check.why += ", by prediction alone: the kernel books nothing here";
    return check;
  }
  check.health = Health::not_at_all;
  check.why = !trial.said.empty() ? trial.said : "256 KiB to write at 1 MiB/s were not held";
  check.remedy = "mend what is said, here or above";
  return check;
}

Check check_others(const PlaceFacts& facts) {
  Check check{"others", "giving way", Health::works, "nice and idle see others by the disk's counters"};
  if (facts.others == OthersSeenBy::disk_below)
    check.why = "nice and idle see others by the counters of the disk below";
  if (facts.disk != 0) return check;
  check.health = Health::partly;
  check.why = facts.others == OthersSeenBy::pressure
                  ? "the disk has no counters here: nice goes by how the job gets on, idle by who waits for "
                    "any disk"
                  : "the disk has no counters here: nice and idle go by how the job gets on";
  check.remedy = "/sys as the host has it, and files that lie on a disk of its own";
  return check;
}

// Tells by which methods a job asks about cached pages of this user's files and of other users' files.
Check check_cache(const Site& site, int fd, const OwnCache& own) {
  Check check{"cached_pages", "cached pages", Health::works, ""};
  if (fd >= 0) check.why = fmt::format("of your files by {}", name_of(own.way));
  const std::string other = find_others_file(site.folder, site.facts.device);
  const ScopedFd file(other.empty() ? -ENOENT : open(other.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  CacheWay way = own.way;
  if (file.is_open()) {
    way = probe_others_cache(file.get());
    check.why += fmt::format("{}of others' by {}", check.why.empty() ? "" : ", ", name_of(way));
  }
  if (check.why.empty()) check.why = "nothing of yours here, nor of others, that could be asked about";
  const bool is_guess = way == CacheWay::timed || own.way == CacheWay::timed;
  if (!is_guess && (file.is_open() || fd >= 0)) return check;
  check.health = Health::partly;
  check.remedy = is_guess ? "microbench: it measures how long a cached read takes" : kWritableFolder;
  return check;
}

Check check_neutral(const OwnCache& own) {
  Check check{"cache_neutral", "--cache neutral", Health::works,
              "what a job brought into memory can be dropped again"};
  if (own.does_let_go) return check;
  check.health = Health::not_at_all;
  check.why = own.way == CacheWay::timed ? "no count of pages, so what a job brought into memory stays there"
                                         : "the kernel keeps what it is asked to drop, or does not say so";
  check.remedy = "a kernel from 6.5 on, or files on the file system below this one";
  return check;
}

double age_of(const std::string& date, std::time_t now) {
  std::tm parts{};
  if (strptime(date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return -1;
  return std::difftime(now, timegm(&parts));
}

std::string age_text(double age_s) {
  if (age_s < 0) return "at an unknown time";
  const auto days = static_cast<long>(age_s / kDayS);
  if (days == 0) return "within the last day";
  return days == 1 ? "a day ago" : fmt::format("{} days ago", days);
}

Check check_record(const Site& site, const gray::repo::Repository& repository) {
  Check check{"host_record", "measured", Health::works, ""};
  const std::string device = gray::repo::device_identity(site.folder).value_or("");
  std::string newest;
  int figures = 0;
  for (const gray::repo::Found& found : repository.list()) {
    const bool is_of_file =
        found.source == gray::repo::Source::kUser || found.source == gray::repo::Source::kHost;
    if (!is_of_file || device.empty() || found.parameter.device != device) continue;
    ++figures;
    newest = std::max(newest, found.parameter.date);
  }
  check.why = fmt::format("{} figures of this file system, {}", figures,
                          age_text(age_of(newest, std::time(nullptr))));
  if (figures != 0) return check;
  check.health = Health::partly;
  check.why = repository.problems().empty() ? "not yet, so discnice learns as it runs"
                                            : repository.problems().front();
  check.remedy = fmt::format("microbench --dir {}", site.folder);
  return check;
}

Check not_tried(const Check& like, const std::string& why) {
  Check check = like;
  check.health = Health::partly;
  check.why = why;
  check.remedy = kWritableFolder;
  return check;
}

void add_checks(const Site& site, const gray::repo::Repository& repository, std::vector<Check>& checks) {
  const ScopedFd trial_file = make_nameless_file(site.folder);
  const ScopedFd cache_file = make_nameless_file(site.folder);
  const std::string untried =
      fmt::format("not tried, no file can be made: {}", gray::cli::error_text(trial_file.error()));
  const OwnCache own =
      cache_file.is_open() ? probe_own_cache(cache_file.get()) : OwnCache{CacheWay::mincore, false};
  checks.push_back(trial_file.is_open() ? check_rate(trial_file.get())
                                        : not_tried({"rate", "a rate"}, untried));
  checks.push_back(check_others(site.facts));
  checks.push_back(check_cache(site, cache_file.get(), own));
  checks.push_back(cache_file.is_open() ? check_neutral(own)
                                        : not_tried({"cache_neutral", "--cache neutral"}, untried));
  checks.push_back(check_record(site, repository));
}

}  // namespace

std::vector<Site> find_sites(const std::vector<std::string>& paths, std::vector<std::string>& missing) {
  const std::string mounts = read_mounts();
  std::vector<Site> sites;
  for (const std::string& path : paths) {
    struct stat status {};
    const std::string folder = folder_of(path);
    if (stat(path.c_str(), &status) != 0 || stat(folder.c_str(), &status) != 0) {
      missing.push_back(fmt::format("cannot look at '{}': {}", path, gray::cli::error_text(errno)));
      continue;
    }
    const bool is_writable = access(folder.c_str(), W_OK) == 0;
    const auto same = std::find_if(sites.begin(), sites.end(), [&](const Site& site) {
      return site.facts.device == status.st_dev && site.is_writable == is_writable;
    });
    if (same != sites.end()) {
      same->name += ", " + path;
    } else {
      sites.push_back({path, folder, facts_of_place(folder, status.st_dev, mounts), is_writable});
    }
  }
  return sites;
}

Place check_place(const Site& site, const gray::repo::Repository& repository) {
  Place place{site.name, site.facts.type, disk_name(site.facts.disk), {}};
  if (site.facts.is_in_memory) {
    place.checks.push_back(
        {"rate", "a rate", Health::works, "what lies here is in memory: it costs no disk and is never held"});
    return place;
  }
  add_checks(site, repository, place.checks);
  return place;
}

}  // namespace discnice::cli
