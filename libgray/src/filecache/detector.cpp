// SPDX-License-Identifier: MIT
#include "libgray/src/filecache/detector.hpp"

#include <algorithm>

#include "libgray/src/filecache/probes.hpp"

namespace gray::filecache {
namespace {

// mincore answers page by page, holes too: a larger file is probed instead, which takes milliseconds.
constexpr std::uint64_t kMincorePagesMax = std::uint64_t{1} << 24;

// How many pages further on a probe may go to find one that it has not fetched itself.
constexpr std::uint64_t kStepsMax = 16;

constexpr Backend kProbing[] = {Backend::nowait, Backend::fault, Backend::timed};

struct Pages {
  std::uint64_t first;
  std::uint64_t count;
};

Pages pages_of(const Stretch& stretch) {
  if (stretch.length_bytes == 0) return {stretch.offset_bytes / os::kPageBytes, 0};
  const std::uint64_t first = stretch.offset_bytes / os::kPageBytes;
  const std::uint64_t last = (stretch.offset_bytes + stretch.length_bytes - 1) / os::kPageBytes;
  return {first, last - first + 1};
}

void set_counted(CacheReport& report, std::uint64_t resident, std::uint64_t pages, Backend backend) {
  report.cached_fraction = static_cast<double>(resident) / static_cast<double>(pages);
  report.backend = backend;
  report.confidence = 1;
}

bool is_before(const Unit& a, const Unit& b) {
  const int by_share = compare_cached(a.cache.cached_fraction, b.cache.cached_fraction);
  if (by_share != 0) return by_share < 0;
  return a.stretch.offset_bytes < b.stretch.offset_bytes;
}

}  // namespace

bool Detector::may_use(Backend backend) const {
  return options_.backend == Backend::automatic || options_.backend == backend;
}

bool Detector::may_fetch() const {
  return fetched_bytes_ + os::kPageBytes <= options_.probe_budget_bytes;
}

base::Result<CacheReport> Detector::inspect(const char* path) {
  const base::Result<os::FileFacts> facts = os::look_at(path);
  if (!facts) return base::Result<CacheReport>::failure(facts.error());
  if (!facts.value().is_regular) return CacheReport{};
  const base::Result<int> fd = os::open_file(path);
  if (!fd) return base::Result<CacheReport>::failure(fd.error());
  const CacheReport report = look({fd.value(), facts.value()}, {0, facts.value().size_bytes});
  os::close_file(fd.value());
  return report;
}

base::Result<CacheReport> Detector::inspect_open(int fd) {
  const base::Result<os::FileFacts> facts = os::look_at_open(fd);
  if (!facts) return base::Result<CacheReport>::failure(facts.error());
  if (!facts.value().is_regular) return CacheReport{};
  return look({fd, facts.value()}, {0, facts.value().size_bytes});
}

int Detector::plan(const char* path, const UnitOptions& options, std::vector<Unit>& units) {
  units.clear();
  const base::Result<os::FileFacts> facts = os::look_at(path);
  if (!facts) return facts.error();
  if (!facts.value().is_regular) return 0;
  const base::Result<int> fd = os::open_file(path);
  if (!fd) return fd.error();
  for (const Stretch& stretch : divide(facts.value().size_bytes, options))
    units.push_back({stretch, look({fd.value(), facts.value()}, stretch)});
  os::close_file(fd.value());
  std::stable_sort(units.begin(), units.end(), is_before);
  return 0;
}

CacheReport Detector::look(const Target& target, const Stretch& stretch) {
  CacheReport report;
  report.file_bytes = target.facts.size_bytes;
  if (stretch.length_bytes == 0) {  // nothing to read is as good as cached
    report.cached_fraction = 1;
    report.confidence = 1;
    return report;
  }
  if (count(target, stretch, report)) return report;
  for (const Backend backend : kProbing) {
    if (may_use(backend) && probe(backend, target, stretch, report)) break;
  }
  return report;
}

// The kernel's own answer; false when it gives none that can be believed.
bool Detector::count(const Target& target, const Stretch& stretch, CacheReport& report) {
  const Pages pages = pages_of(stretch);
  if (may_use(Backend::cachestat)) {
    const base::Result<std::uint64_t> resident = os::count_by_cachestat(target.fd, pages.first, pages.count);
    if (resident && is_count_true(target, resident.value())) {
      set_counted(report, resident.value(), pages.count, Backend::cachestat);
      return true;
    }
  }
  if (!may_use(Backend::mincore) || pages.count > kMincorePagesMax) return false;
  if (!os::is_trusted(target.fd, target.facts)) return false;
  const base::Result<std::uint64_t> resident = os::count_by_mincore(target.fd, pages.first, pages.count);
  if (resident) set_counted(report, resident.value(), pages.count, Backend::mincore);
  return resident.is_ok();
}

// A count above 0 proves itself. A count of 0 may be a file system that always says so: read one byte of the
// last page, which is resident then, and ask again. Once for each device; costs at most one page of one file.
bool Detector::is_count_true(const Target& target, std::uint64_t resident) {
  const std::pair key{target.facts.device, Backend::cachestat};
  const auto known = is_backend_true_.find(key);
  if (known != is_backend_true_.end()) return known->second;
  bool is_true = resident > 0;
  if (!is_true) {
    if (!may_fetch()) return false;
    const std::uint64_t last_page = pages_of({0, target.facts.size_bytes}).count - 1;
    os::expect_random_reads(target.fd);
    if (!os::time_one_byte(target.fd, last_page * os::kPageBytes)) return false;
    is_true = os::count_by_cachestat(target.fd, last_page, 1).value_or(0) > 0;
  }
  is_backend_true_[key] = is_true;
  return is_true;
}

// After a read the page is certainly cached, and a backend that tells of the cache says so; for the mapping a page
// beside it is read as well, since the one asked for would be fetched and prove nothing. Once for each device.
bool Detector::works(Backend backend, const Target& target, std::uint64_t offset_bytes) {
  if (backend == Backend::timed) return true;  // each probe has its certain hit beside it
  const std::pair key{target.facts.device, backend};
  const auto known = is_backend_true_.find(key);
  if (known != is_backend_true_.end()) return known->second;
  const std::uint64_t window_bytes = os::kWindowPages * os::kPageBytes;
  const std::uint64_t start = offset_bytes / window_bytes * window_bytes;
  const std::uint64_t beside = start + (offset_bytes / os::kPageBytes % 2 == 0 ? 1 : 0) * os::kPageBytes;
  if (!os::time_one_byte(target.fd, offset_bytes)) return false;
  if (backend == Backend::fault) {
    if (!os::time_one_byte(target.fd, beside)) return false;
    memory_.note(target.facts.device, target.facts.inode, beside / os::kPageBytes);
  }
  bool is_true = false;
  if (backend == Backend::nowait) {
    const Answer answer = probe_by_nowait(target.fd, offset_bytes);
    is_true = answer.is_valid && !answer.has_fetched;
  } else {
    is_true = count_mapped(target.fd, offset_bytes, target.facts.size_bytes) >= 2;
  }
  is_backend_true_[key] = is_true;
  return is_true;
}

// A page that we fetched ourselves says nothing; the next ones are tried. The file's size when there is none.
std::uint64_t Detector::page_to_probe(const Target& target, const Stretch& stretch,
                                      std::uint64_t offset_bytes) const {
  const std::uint64_t end = stretch.offset_bytes + stretch.length_bytes;
  for (std::uint64_t step = 0; step < kStepsMax && offset_bytes < end; ++step) {
    if (!memory_.is_own(target.facts.device, target.facts.inode, offset_bytes / os::kPageBytes))
      return offset_bytes;
    offset_bytes = (offset_bytes / os::kPageBytes + 1) * os::kPageBytes;
  }
  return target.facts.size_bytes;
}

void Detector::note_fetched(const Target& target, std::uint64_t offset_bytes) {
  fetched_bytes_ += os::kPageBytes;
  memory_.note(target.facts.device, target.facts.inode, offset_bytes / os::kPageBytes);
}

const DeviceSettings& Detector::settings_for(const Target& target) {
  const auto known = settings_.find(target.facts.device);
  if (known != settings_.end()) return known->second;
  const DeviceSettings own{options_.plan.prediction_unit_bytes, options_.hit_time_max_ns};
  return settings_[target.facts.device] = options_.settings_of ? options_.settings_of(target.fd) : own;
}

// False when the backend does not work here, so that another may be asked.
bool Detector::probe(Backend backend, const Target& target, const Stretch& stretch, CacheReport& report) {
  const auto known = is_backend_true_.find({target.facts.device, backend});
  if (known != is_backend_true_.end() && !known->second) return false;
  os::expect_random_reads(target.fd);
  double resident = 0;
  std::uint32_t judged = 0;
  std::uint32_t probes = 0;
  std::uint64_t time_ns = 0;
  const DeviceSettings settings = settings_for(target);
  ProbePlanOptions plan = options_.plan;
  plan.prediction_unit_bytes = settings.prediction_unit_bytes;
  for (const std::uint64_t planned : plan_probes(stretch, plan)) {
    if (!may_fetch()) break;
    const std::uint64_t offset = page_to_probe(target, stretch, planned);
    if (offset >= target.facts.size_bytes) continue;
    Answer answer;
    if (backend == Backend::nowait) answer = probe_by_nowait(target.fd, offset);
    if (backend == Backend::fault) answer = probe_by_fault(target.fd, offset, target.facts, memory_);
    if (backend == Backend::timed)
      answer = probe_by_time(target.fd, offset, target.facts.size_bytes, settings.hit_time_max_ns);
    if (answer.is_valid && answer.has_fetched) note_fetched(target, offset);
    if (answer.is_valid && answer.has_fetched_beside) note_fetched(target, answer.beside_bytes);
    if (answer.is_unsupported) is_backend_true_[{target.facts.device, backend}] = false;
    if (answer.is_unsupported || !works(backend, target, offset)) return false;
    if (!answer.is_valid) continue;
    ++judged;
    probes += answer.probes;
    resident += answer.resident_share;
    time_ns += answer.time_ns;
  }
  if (judged == 0) return false;
  report.cached_fraction = resident / judged;
  report.confidence = confidence_of(report.cached_fraction, judged);
  report.probes = probes;
  report.probe_time_ns = time_ns;
  report.backend = backend;
  return true;
}

}  // namespace gray::filecache
