// SPDX-License-Identifier: MIT
// detector: finds how much of a file, or of each part of it, is cached. It uses the best backend that permissions and a self-test allow.
//
// Knowledge assumed: neighbouring pages are cached and evicted together, so one page is a sample of its prediction unit.
// Output observed: the kernel's counts where they are true. Otherwise: whether reads would wait, which pages a mapping maps, or the time of one-byte reads.
// Inference drawn: the share that is resident, and the confidence in it.
// A slow read counts as a miss when the thread slept in it. Otherwise the next page is probed as well. No answer relies on one page if the file has others.
// After a hit a second page is probed at a random place. After a miss the last pages of the file are examined, which needs no fetch. If the probes disagree,
// more pages are probed. For a file of up to fifteen pages, the last pages alone give the answer.
// What breaks it: a cache whose neighbours are unrelated (random access), eviction between probing and use;
// on overlay the kernel's count is 0 for every file, which the self-test detects. Where even repeated reads are slow, reads bypass the page cache and the answer is "unknown".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "libgray/src/filecache/device_speed.hpp"
#include "libgray/src/filecache/probe_memory.hpp"
#include "libgray/src/filecache/probe_plan.hpp"
#include "libgray/src/filecache/probes.hpp"
#include "libgray/src/filecache/units.hpp"
#include "libgray/src/os/os.hpp"
#include "toolbox/base/result.hpp"
#include "toolbox/base/streaming_stats.hpp"

namespace gray::filecache {

/// The backends, numbered as gb_backend_t, in the order of preference.
enum class Backend : std::uint32_t {
  automatic = 0,
  cachestat = 1,
  mincore = 2,
  end = 3,
  nowait = 4,
  fault = 5,
  timed = 6,
  none = 7
};

/// Settings that may differ between devices.
struct DeviceSettings {
  std::uint64_t prediction_unit_bytes = 0;
  std::uint64_t hit_time_max_ns = 0;
  DeviceSpeed speed = {};         // as recorded
  double memory_bytes_per_s = 0;  // reading cached pages
};

struct DetectorOptions {
  Backend backend = Backend::automatic;
  ProbePlanOptions plan;
  // A slower probe is a miss; 0: each probe is compared with a certain hit.
  std::uint64_t hit_time_max_ns = 0;
  // Probing ends when the misses of probes have fetched this much. With less than a page nothing is read.
  std::uint64_t probe_budget_bytes = 256 * base::kMiB;
  const char* memory_path = nullptr;  // for ProbeMemory
  // Gives the settings for the device of an open file; they replace the unit and the time above. It is called once for each device, before the first probe
  // there. Without this function the unit and time above are used for all devices.
  std::function<DeviceSettings(int fd)> settings_of;
};

struct CacheReport {
  std::uint64_t file_bytes = 0;
  double cached_fraction = -1;  // negative: unknown
  std::uint64_t probe_time_ns = 0;
  std::uint64_t access_ns =
      0;  // the median of the timed hits if at least half is cached, else of the timed misses; 0: no read was timed
  std::uint32_t probes = 0;
  Backend backend = Backend::none;
  double confidence = 0;  // 1: the kernel counted; lower with fewer probes; 0: unknown
};

/// A part of a file, and how much of it is cached.
struct Unit {
  Stretch stretch;
  CacheReport cache;
};

/// The predicted time of a read of a stretch at this moment.
struct Prediction {
  std::uint64_t missing_bytes = 0;
  DeviceSpeed speed;  // access_ns 0: not known
  double read_ns = 0;
};

/// Examines files, and remembers which backends work on which device. One thread at a time.
class Detector {
 public:
  explicit Detector(const DetectorOptions& options) : options_(options), memory_(options.memory_path) {}

  /// Examines one file. Errors: as stat(2) and open(2).
  base::Result<CacheReport> inspect(const char* path);

  /// Same as inspect(), for a file that is open for reading. The call may change the file's advice (posix_fadvise) and position. Errors: as
  /// fstat(2).
  base::Result<CacheReport> inspect_open(int fd);

  /// Reads up to `bytes_max` in order from the beginning of an open file, and measures by this how fast the file's device is. Returns how many bytes were read.
  /// It returns 0 and learns nothing if much of the file is cached, or if that is unknown.
  base::Result<std::uint64_t> learn(int fd, std::uint64_t bytes_max);

  /// Predicts how long reading the stretch in order would take, from the learned speed of the device, else from the recorded speed.
  base::Result<Prediction> predict(int fd, const Stretch& stretch);

  /// Fills `units` with the file's parts in their best order: the part with the largest cached share first; equal parts in their order in the file.
  /// Errors: negative errno as of stat(2) and open(2), 0 on success.
  int plan(const char* path, const UnitOptions& options, std::vector<Unit>& units);

 private:
  // The file that is examined.
  struct Target {
    int fd;
    os::FileFacts facts;
  };

  // The first few times of hits, or of misses, ascending.
  struct Times {
    std::array<std::uint64_t, 5> ns{};
    std::size_t count = 0;

    void add(std::uint64_t time_ns);
    [[nodiscard]] std::uint64_t median() const { return count == 0 ? 0 : ns.at((count - 1) / 2); }
  };

  // The results of the probes of one stretch.
  struct Sample {
    DeviceSettings settings;
    double resident = 0;
    std::uint32_t judged = 0;
    std::uint32_t probes = 0;
    std::uint64_t time_ns = 0;
    std::uint64_t last_bytes = 0;  // the place of the last probe
    bool was_hit = false;          // the result of the last probe
    Times hits;
    Times misses;
    std::array<std::uint64_t, 5> asked_pages{};  // the first pages that were probed

    [[nodiscard]] bool was_asked(std::uint64_t page) const;
    [[nodiscard]] bool is_in_doubt() const;
    void add(const Answer& answer);
  };

  [[nodiscard]] bool may_use(Backend backend) const;
  [[nodiscard]] bool may_fetch() const;  // is there room for a page in probe_budget_bytes?
  CacheReport look(const Target& target, const Stretch& stretch);
  bool count(const Target& target, const Stretch& stretch, CacheReport& report);
  bool is_count_true(const Target& target, std::uint64_t resident);
  bool probe(Backend backend, const Target& target, const Stretch& stretch, CacheReport& report);
  bool works(Backend backend, const Target& target, std::uint64_t offset_bytes);
  bool ask(Backend backend, const Target& target, const Stretch& stretch, std::uint64_t offset_bytes,
           Sample& sample);
  bool check(Backend backend, const Target& target, const Stretch& stretch, Sample& sample);
  bool look_at_end(const Target& target, const Stretch& stretch, CacheReport& report);
  Answer ask_end(const Target& target, const Stretch& stretch);
  bool is_end_true(const Target& target, const os::MappedWindow& end);
  [[nodiscard]] std::uint64_t page_to_probe(const Target& target, const Stretch& stretch,
                                            std::uint64_t offset_bytes, const Sample& sample) const;
  void note_fetched(const Target& target, std::uint64_t offset_bytes);
  const DeviceSettings& settings_for(const Target& target);
  [[nodiscard]] std::uint64_t threshold_now(std::uint64_t measured_ns) const;

  DetectorOptions options_;
  ProbeMemory memory_;
  base::StreamingStats certain_hits_ns_;
  std::uint64_t fetched_bytes_ = 0;                                    // fetched by probes that missed
  std::map<std::pair<std::uint64_t, Backend>, bool> is_backend_true_;  // by device, once tested
  std::map<std::uint64_t, DeviceSettings> settings_;                   // by device, once asked
  std::map<std::uint64_t, SpeedSamples> speeds_;                       // by device
};

}  // namespace gray::filecache
