// SPDX-License-Identifier: MIT
#include "libgray/src/filecache/detector.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "libgray/src/core/hit_classifier.hpp"
#include "libgray/src/filecache/probes.hpp"

namespace gray::filecache {
namespace {

// mincore answers for every page, also for holes. A larger file is probed instead, which takes milliseconds.
constexpr std::uint64_t kMincorePagesMax = std::uint64_t{1} << 24;

// The largest distance by which a probe may move to find a page that this program did not fetch itself.
constexpr std::uint64_t kStepsMax = 16;

// The host's speed is computed from at least this many certain hits.
constexpr std::uint64_t kHitsMin = 8;

// At most this many additional pages are probed when the planned probes disagree.
constexpr std::uint32_t kChecksMax = 3;

// A file that is partly cached is no good sample of its device's speed. The first block is as long as the reads of programs that copy or search.
constexpr double kLearnCachedMax = 0.1;
constexpr std::uint64_t kLearnFirstBytes = 128 * base::kKiB;

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

double share_of(std::uint64_t resident, std::uint64_t pages) {
  return static_cast<double>(resident) / static_cast<double>(pages);
}

void set_counted(CacheReport& report, double share, Backend backend) {
  report.cached_fraction = share;
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

base::Result<std::uint64_t> Detector::learn(int fd, std::uint64_t bytes_max) {
  using Learned = base::Result<std::uint64_t>;
  const base::Result<os::FileFacts> facts = os::look_at_open(fd);
  if (!facts) return Learned::failure(facts.error());
  const std::uint64_t wanted = std::min(bytes_max, facts.value().size_bytes);
  if (!facts.value().is_regular || wanted == 0 || fetched_bytes_ + wanted > options_.probe_budget_bytes)
    return std::uint64_t{0};
  const CacheReport report = look({fd, facts.value()}, {0, wanted});
  if (report.cached_fraction < 0 || report.cached_fraction > kLearnCachedMax) return std::uint64_t{0};
  os::expect_reads_in_order(fd);
  const base::Result<os::TimedStretch> first = os::time_stretch(fd, 0, std::min(wanted, kLearnFirstBytes));
  if (!first) return Learned::failure(first.error());
  const base::Result<os::TimedStretch> rest =
      os::time_stretch(fd, first.value().bytes, wanted - first.value().bytes);
  if (!rest) return Learned::failure(rest.error());
  speeds_[facts.value().device].add(first.value().bytes, first.value().time_ns, rest.value().bytes,
                                    rest.value().time_ns);
  fetched_bytes_ += first.value().bytes + rest.value().bytes;
  return first.value().bytes + rest.value().bytes;
}

base::Result<Prediction> Detector::predict(int fd, const Stretch& stretch) {
  const base::Result<os::FileFacts> facts = os::look_at_open(fd);
  if (!facts) return base::Result<Prediction>::failure(facts.error());
  const std::uint64_t file_bytes = facts.value().is_regular ? facts.value().size_bytes : 0;
  const Stretch within{
      stretch.offset_bytes,
      std::min(stretch.length_bytes, file_bytes - std::min(file_bytes, stretch.offset_bytes))};
  const Target target{fd, facts.value()};
  const CacheReport report = look(target, within);
  if (report.cached_fraction < 0) return base::Result<Prediction>::failure(-ENODATA);
  const auto bytes = static_cast<double>(within.length_bytes);
  const double missing = (1 - report.cached_fraction) * bytes;
  const auto learned = speeds_.find(facts.value().device);
  const DeviceSettings& settings = settings_for(target);
  Prediction prediction;
  prediction.missing_bytes = static_cast<std::uint64_t>(std::llround(missing));
  prediction.speed = learned != speeds_.end() ? learned->second.speed() : settings.speed;
  if (prediction.missing_bytes != 0 && prediction.speed.access_ns <= 0)
    return base::Result<Prediction>::failure(-ENODATA);
  prediction.read_ns = fetch_ns(prediction.speed, missing);
  if (settings.memory_bytes_per_s > 0)
    prediction.read_ns += (bytes - missing) / settings.memory_bytes_per_s * 1e9;
  return prediction;
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
  if (count(target, stretch, report) || look_at_end(target, stretch, report)) return report;
  for (const Backend backend : kProbing) {
    if (may_use(backend) && probe(backend, target, stretch, report)) break;
  }
  return report;
}

// Asks the kernel for a count. False if the kernel gives no reliable count.
bool Detector::count(const Target& target, const Stretch& stretch, CacheReport& report) {
  const Pages pages = pages_of(stretch);
  if (may_use(Backend::cachestat)) {
    const base::Result<std::uint64_t> resident = os::count_by_cachestat(target.fd, pages.first, pages.count);
    if (resident && is_count_true(target, resident.value())) {
      set_counted(report, share_of(resident.value(), pages.count), Backend::cachestat);
      return true;
    }
  }
  if (!may_use(Backend::mincore) || pages.count > kMincorePagesMax) return false;
  if (!os::is_trusted(target.fd, target.facts)) return false;
  const base::Result<std::uint64_t> resident = os::count_by_mincore(target.fd, pages.first, pages.count);
  if (resident) set_counted(report, share_of(resident.value(), pages.count), Backend::mincore);
  return resident.is_ok();
}

// A count above 0 proves that the device's counts are true. A count of 0 may come from a file system that always says 0. So one byte of the last page is read, which makes that
// page resident, and the count is taken again. This is done once for each device, and fetches at most one page of one file.
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

// After a read the page is certainly cached, and a backend that works says so. For the backend `fault` a neighbouring page is read as well, since the wanted
// page is fetched by the question itself and so proves nothing. This is done once for each device.
bool Detector::works(Backend backend, const Target& target, std::uint64_t offset_bytes) {
  if (backend == Backend::timed) return true;  // each timed probe is compared with a certain hit
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

bool Detector::Sample::was_asked(std::uint64_t page) const {
  const auto* const end = asked_pages.begin() + std::min<std::size_t>(judged, asked_pages.size());
  return std::find(asked_pages.begin(), end, page) != end;
}

// True while hits and misses differ by less than two. The share of a window's pages counts as one probe.
bool Detector::Sample::is_in_doubt() const {
  return std::abs(2 * resident - judged) < 1.5;
}

void Detector::Times::add(std::uint64_t time_ns) {
  if (time_ns == 0 || count == ns.size()) return;
  std::size_t at = count++;
  for (; at > 0 && ns.at(at - 1) > time_ns; --at) ns.at(at) = ns.at(at - 1);
  ns.at(at) = time_ns;
}

void Detector::Sample::add(const Answer& answer) {
  ++judged;
  probes += answer.probes;
  resident += answer.resident_share;
  time_ns += answer.time_ns;
  was_hit = answer.resident_share >= 0.5;
  (was_hit ? hits : misses).add(answer.access_ns);
}

// A page that this program fetched itself gives no information, and a page that was already probed gives no new information. So the following pages are tried,
// and after the end of the stretch the pages at its beginning. Returns the file's size if there is no page.
std::uint64_t Detector::page_to_probe(const Target& target, const Stretch& stretch,
                                      std::uint64_t offset_bytes, const Sample& sample) const {
  const std::uint64_t end = stretch.offset_bytes + stretch.length_bytes;
  for (std::uint64_t step = 0; step < kStepsMax; ++step) {
    const std::uint64_t page = offset_bytes / os::kPageBytes;
    if (!sample.was_asked(page) && !memory_.is_own(target.facts.device, target.facts.inode, page))
      return offset_bytes;
    offset_bytes = (page + 1) * os::kPageBytes;
    if (offset_bytes >= end) offset_bytes = std::max(stretch.offset_bytes, os::kPageBytes);
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

// The threshold is a property of the host when it was measured. Certain hits may come near the threshold now, for example on a processor that has become
// slower. Then hits would be taken for misses. Then the threshold is computed from the certain hits. "Near" means two standard deviations. Their square is
// compared, because libc alone has no square root.
std::uint64_t Detector::threshold_now(std::uint64_t measured_ns) const {
  if (measured_ns == 0 || certain_hits_ns_.count() < kHitsMin) return measured_ns;
  const double room_ns = static_cast<double>(measured_ns) - certain_hits_ns_.mean();
  const bool is_far = room_ns > 0 && room_ns * room_ns > 4 * certain_hits_ns_.variance();
  return is_far ? measured_ns : core::threshold_by_hit(static_cast<std::uint64_t>(certain_hits_ns_.mean()));
}

// Makes one probe. False if the backend does not work here.
bool Detector::ask(Backend backend, const Target& target, const Stretch& stretch, std::uint64_t offset_bytes,
                   Sample& sample) {
  const std::uint64_t offset = page_to_probe(target, stretch, offset_bytes, sample);
  if (offset >= target.facts.size_bytes) return true;
  Answer answer;
  if (backend == Backend::nowait) answer = probe_by_nowait(target.fd, offset);
  if (backend == Backend::fault) answer = probe_by_fault(target.fd, offset, target.facts, memory_);
  if (backend == Backend::timed)
    answer = probe_by_time(target.fd, offset, target.facts.size_bytes,
                           threshold_now(sample.settings.hit_time_max_ns));
  if (answer.certain_hit_ns != 0) certain_hits_ns_.add(static_cast<double>(answer.certain_hit_ns));
  if (answer.is_valid && answer.has_fetched) note_fetched(target, offset);
  if (answer.is_valid && answer.has_fetched_beside) note_fetched(target, answer.beside_bytes);
  if (answer.is_unsupported) is_backend_true_[{target.facts.device, backend}] = false;
  if (answer.is_unsupported || !works(backend, target, offset)) return false;
  if (!answer.is_valid) return true;
  if (sample.judged < sample.asked_pages.size())
    sample.asked_pages.at(sample.judged) = offset / os::kPageBytes;
  sample.last_bytes = offset;
  sample.add(answer);
  return true;
}

// One page is not enough for an answer. When one or two probes were planned, more pages are probed until hits and misses differ by two, or until kChecksMax
// more pages were probed. False if the backend does not work here.
bool Detector::check(Backend backend, const Target& target, const Stretch& stretch, Sample& sample) {
  if (sample.judged > 2) return true;
  if (sample.judged == 1 && !sample.was_hit) {
    const Answer end = ask_end(target, stretch);
    if (end.is_valid) sample.add(end);
  }
  for (std::uint32_t round = 0; sample.is_in_doubt() && round < kChecksMax && may_fetch(); ++round) {
    const std::uint64_t place = sample.judged == 1 && !sample.was_hit
                                    ? plan_near(stretch, options_.plan, sample.last_bytes)
                                    : plan_anywhere(stretch, options_.plan, round);
    if (!ask(backend, target, stretch, place, sample)) return false;
  }
  return true;
}

// A file with no more pages than the backend `end` shows is known as a whole.
bool Detector::look_at_end(const Target& target, const Stretch& stretch, CacheReport& report) {
  if (!may_use(Backend::end)) return false;
  const Pages pages = pages_of(stretch);
  if (pages_of({0, target.facts.size_bytes}).count > pages.first + os::kEndPages) return false;
  const Answer end = ask_end(target, stretch);
  if (!end.is_valid) return false;
  set_counted(report, end.resident_share, Backend::end);
  if (end.pages < pages.count) report.confidence = confidence_of(end.resident_share, end.pages);
  return true;
}

// The answer of the file's last pages, as far as they belong to the stretch. After a single miss, check() also counts this answer as one more probe, for any
// backend.
Answer Detector::ask_end(const Target& target, const Stretch& stretch) {
  const std::uint64_t file_bytes = target.facts.size_bytes;
  if (stretch.offset_bytes + stretch.length_bytes < file_bytes) return {};
  const auto known = is_backend_true_.find({target.facts.device, Backend::end});
  if (known != is_backend_true_.end() && !known->second) return {};
  const base::Result<os::MappedWindow> end = os::map_end(target.fd, file_bytes);
  if (!end || !is_end_true(target, end.value())) return {};
  return judge_window(end.value(), pages_of(stretch).first, target.facts, memory_);
}

// A page that is shown as cached proves that this backend works. When no page is shown, the host or the file system may never show pages. This is tested in the
// same way as in is_count_true().
bool Detector::is_end_true(const Target& target, const os::MappedWindow& end) {
  const std::pair key{target.facts.device, Backend::end};
  const auto known = is_backend_true_.find(key);
  if (known != is_backend_true_.end()) return known->second;
  if (end.resident == 0) {
    if (!may_fetch()) return false;
    const std::uint64_t last_page = end.first_page + end.pages - 1;
    os::expect_random_reads(target.fd);
    if (!os::time_one_byte(target.fd, last_page * os::kPageBytes)) return false;
    note_fetched(target, last_page * os::kPageBytes);
    const base::Result<os::MappedWindow> again = os::map_end(target.fd, target.facts.size_bytes);
    return is_backend_true_[key] = again && again.value().resident != 0;
  }
  return is_backend_true_[key] = true;
}

// False if the backend does not work here. Then the caller tries another.
bool Detector::probe(Backend backend, const Target& target, const Stretch& stretch, CacheReport& report) {
  const auto known = is_backend_true_.find({target.facts.device, backend});
  if (known != is_backend_true_.end() && !known->second) return false;
  os::expect_random_reads(target.fd);
  Sample sample;
  sample.settings = settings_for(target);
  ProbePlanOptions plan = options_.plan;
  plan.prediction_unit_bytes = sample.settings.prediction_unit_bytes;
  for (const std::uint64_t planned : plan_probes(stretch, plan)) {
    if (!may_fetch()) break;
    if (!ask(backend, target, stretch, planned, sample)) return false;
  }
  if (sample.judged == 0 || !check(backend, target, stretch, sample)) return false;
  report.cached_fraction = sample.resident / sample.judged;
  report.confidence = confidence_of(report.cached_fraction, sample.judged);
  report.probes = sample.probes;
  report.probe_time_ns = sample.time_ns;
  report.access_ns = (report.cached_fraction >= 0.5 ? sample.hits : sample.misses).median();
  report.backend = backend;
  return true;
}

}  // namespace gray::filecache
