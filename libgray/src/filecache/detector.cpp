// SPDX-License-Identifier: MIT
#include "libgray/src/filecache/detector.hpp"

#include <algorithm>

#include "libgray/src/core/hit_classifier.hpp"

namespace gray::filecache {
namespace {

// mincore answers page by page, holes too: a larger file is probed instead, which takes milliseconds.
constexpr std::uint64_t kMincorePagesMax = std::uint64_t{1} << 24;

std::uint64_t pages_of(std::uint64_t bytes) {
  return bytes / os::kPageBytes + (bytes % os::kPageBytes != 0 ? 1 : 0);
}

void set_counted(CacheReport& report, std::uint64_t resident, Backend backend) {
  report.cached_fraction = static_cast<double>(resident) / static_cast<double>(pages_of(report.file_bytes));
  report.backend = backend;
}

enum class Verdict { hit, miss, doubtful, nothing };

// A read that waited for a device slept. One that was slow without sleeping was robbed of its processor, by
// another thread or by the host of a virtual machine, and says nothing of the page.
Verdict probe_once(int fd, std::uint64_t offset_bytes, std::uint64_t hit_time_max_ns, CacheReport& report) {
  const base::Result<os::TimedRead> probe = os::time_one_byte(fd, offset_bytes);
  const base::Result<os::TimedRead> again = os::time_one_byte(fd, offset_bytes);
  const base::Result<os::TimedRead> once_more = os::time_one_byte(fd, offset_bytes);
  if (!probe || !again || !once_more) return Verdict::nothing;
  // The faster of two: a certain hit that was robbed would pass a miss off as a hit.
  const std::uint64_t certain_hit_ns = std::min(again.value().time_ns, once_more.value().time_ns);
  const bool has_slept_each_time = again.value().has_slept && once_more.value().has_slept;
  if (!core::is_hit_credible(certain_hit_ns, has_slept_each_time)) return Verdict::nothing;
  ++report.probes;
  report.probe_time_ns += probe.value().time_ns;
  const std::uint64_t time_ns = probe.value().time_ns;
  const bool is_miss = hit_time_max_ns != 0 ? core::is_miss_by_threshold(time_ns, hit_time_max_ns)
                                            : core::is_miss(time_ns, certain_hit_ns);
  if (!is_miss) return Verdict::hit;
  return probe.value().has_slept ? Verdict::miss : Verdict::doubtful;
}

// A byte of the next page, of the page before at the end of the file, or, with no page but page 0 beside it,
// the same: that one has been fetched and cannot be asked again.
std::uint64_t neighbour_of(std::uint64_t offset_bytes, std::uint64_t file_bytes) {
  if (file_bytes - offset_bytes > os::kPageBytes) return offset_bytes + os::kPageBytes;
  return offset_bytes >= 2 * os::kPageBytes ? offset_bytes - os::kPageBytes : offset_bytes;
}

}  // namespace

bool Detector::may_use(Backend backend) const {
  return options_.backend == Backend::automatic || options_.backend == backend;
}

base::Result<CacheReport> Detector::inspect(const char* path) {
  const base::Result<os::FileFacts> facts = os::look_at(path);
  if (!facts) return base::Result<CacheReport>::failure(facts.error());
  if (!facts.value().is_regular) return CacheReport{};
  const base::Result<int> fd = os::open_file(path);
  if (!fd) return base::Result<CacheReport>::failure(fd.error());
  const CacheReport report = inspect_open(fd.value(), facts.value());
  os::close_file(fd.value());
  return report;
}

CacheReport Detector::inspect_open(int fd, const os::FileFacts& facts) {
  CacheReport report;
  report.file_bytes = facts.size_bytes;
  if (facts.size_bytes == 0) {  // nothing to read is as good as cached
    report.cached_fraction = 1;
    return report;
  }
  if (!count(fd, facts, report) && may_use(Backend::timed)) probe(fd, facts, report);
  return report;
}

// The kernel's own answer; false when it gives none that can be believed.
bool Detector::count(int fd, const os::FileFacts& facts, CacheReport& report) {
  const std::uint64_t pages = pages_of(facts.size_bytes);
  if (may_use(Backend::cachestat)) {
    const base::Result<std::uint64_t> resident = os::count_by_cachestat(fd, 0, pages);
    if (resident && is_count_true(fd, facts, resident.value())) {
      set_counted(report, resident.value(), Backend::cachestat);
      return true;
    }
  }
  if (!may_use(Backend::mincore) || !facts.is_trusted || pages > kMincorePagesMax) return false;
  const base::Result<std::uint64_t> resident = os::count_by_mincore(fd, 0, pages);
  if (resident) set_counted(report, resident.value(), Backend::mincore);
  return resident.is_ok();
}

// A count above 0 proves itself. A count of 0 may be a file system that always says so: read one byte of the
// last page, which is resident then, and ask again. Once for each device; costs at most one page of one file.
bool Detector::is_count_true(int fd, const os::FileFacts& facts, std::uint64_t resident) {
  const auto known = is_count_true_.find(facts.device);
  if (known != is_count_true_.end()) return known->second;
  bool is_true = resident > 0;
  if (!is_true) {
    const std::uint64_t last_page = pages_of(facts.size_bytes) - 1;
    os::expect_random_reads(fd);
    if (!os::time_one_byte(fd, last_page * os::kPageBytes)) return false;
    is_true = os::count_by_cachestat(fd, last_page, 1).value_or(0) > 0;
  }
  is_count_true_[facts.device] = is_true;
  return is_true;
}

void Detector::probe(int fd, const os::FileFacts& facts, CacheReport& report) {
  os::expect_random_reads(fd);
  std::uint32_t hits = 0;
  std::uint32_t judged = 0;
  for (const std::uint64_t offset : plan_probes(facts.size_bytes, options_.plan)) {
    Verdict verdict = probe_once(fd, offset, options_.hit_time_max_ns, report);
    const std::uint64_t neighbour = neighbour_of(offset, facts.size_bytes);
    if (verdict == Verdict::doubtful && neighbour != offset)
      verdict = probe_once(fd, neighbour, options_.hit_time_max_ns, report);
    if (verdict == Verdict::nothing) continue;  // the file shrank, or its reads bypass the page cache
    ++judged;
    if (verdict == Verdict::hit) ++hits;  // doubtful twice: a host that tells of no sleep; time alone decides
  }
  if (judged == 0) return;
  report.cached_fraction = static_cast<double>(hits) / judged;
  report.backend = Backend::timed;
}

}  // namespace gray::filecache
