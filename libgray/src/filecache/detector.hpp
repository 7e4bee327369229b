// SPDX-License-Identifier: MIT
// detector: how much of a file, or of each part of it, is cached, by the best backend that permission and self-test
// allow.
//
// Knowledge assumed: neighbouring pages are cached and evicted together, so one page answers for its
// prediction unit.
// Output observed: the kernel's counts where they are true; else whether reads would wait, what a mapping maps, or the
// time of one-byte reads.
// Inference drawn: the share that is resident, and how sure that is.
// A slow read counts as a miss when the thread slept in it; otherwise the next page is asked as well. An answer never depends on a single page if there is another one. After a
// hit a second page is probed anywhere, which costs nothing. After a miss the last pages of the file are looked at, which needs no read. If the answers disagree, more pages are
// probed. A file of fifteen pages is known by its last pages alone.
// What breaks it: a cache whose neighbours are unrelated (random access), eviction between probing and use;
// on overlay the kernel's count is 0 for every file, which the self-test finds out. Where even repeated reads
// are slow, reads bypass the page cache and the answer is "unknown".
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

/// The numbers are those of gb_backend_t, in the order of preference.
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

/// Settings that may differ from device to device.
struct DeviceSettings {
  std::uint64_t prediction_unit_bytes = 0;
  std::uint64_t hit_time_max_ns = 0;
  DeviceSpeed speed = {};         // as recorded
  double memory_bytes_per_s = 0;  // of what is cached
};

struct DetectorOptions {
  Backend backend = Backend::automatic;
  ProbePlanOptions plan;
  std::uint64_t hit_time_max_ns = 0;  // a slower probe missed; 0: judge each against a certain hit
  // Probing ends when its misses have brought in this many bytes. With less than a page nothing is read.
  std::uint64_t probe_budget_bytes = 256 * base::kMiB;
  const char* memory_path = nullptr;  // for ProbeMemory
  // A function that gives the unit and the time above for the device of an open file. It is called once for each device before the first probe. Without it the values above are
  // used for all devices.
  std::function<DeviceSettings(int fd)> settings_of;
};

struct CacheReport {
  std::uint64_t file_bytes = 0;
  double cached_fraction = -1;  // negative: unknown
  std::uint64_t probe_time_ns = 0;
  std::uint64_t access_ns =
      0;  // the median of the timed reads that say what cached_fraction says; 0: none was timed
  std::uint32_t probes = 0;
  Backend backend = Backend::none;
  double confidence = 0;  // 1: counted; less the fewer probes speak for it; 0: unknown
};

/// A part of a file and the facts found about it.
struct Unit {
  Stretch stretch;
  CacheReport cache;
};

/// How long it would take to read a part of a file now.
struct Prediction {
  std::uint64_t missing_bytes = 0;
  DeviceSpeed speed;  // access_ns 0: not known
  double read_ns = 0;
};

/// Remembers which backends are right on which device. One thread at a time.
class Detector {
 public:
  explicit Detector(const DetectorOptions& options) : options_(options), memory_(options.memory_path) {}

  /// Looks at one file. Errors: as stat(2) and open(2).
  base::Result<CacheReport> inspect(const char* path);

  /// The same for a file that is open for reading. Its advice and position may change. Errors: as fstat(2).
  base::Result<CacheReport> inspect_open(int fd);

  /// Reads up to `bytes_max` from the beginning of an open file, in order, if little of the file is cached. Learns from this how fast the device is. Returns how many bytes were
  /// read. It returns 0 and learns nothing if much of the file is cached, or if that is unknown.
  base::Result<std::uint64_t> learn(int fd, std::uint64_t bytes_max);

  /// How long it would take to read the part in order, by the learned speed of the device, or else by the recorded speed.
  base::Result<Prediction> predict(int fd, const Stretch& stretch);

  /// Fills `units` with the file's parts in their best order: the most cached parts first, equally cached parts in the order of the file. Returns 0, or a negative errno as of
  /// stat(2) and open(2).
  int plan(const char* path, const UnitOptions& options, std::vector<Unit>& units);

 private:
  // A file that is being looked at.
  struct Target {
    int fd;
    os::FileFacts facts;
  };

  // The first few times of one kind, in ascending order.
  struct Times {
    std::array<std::uint64_t, 5> ns{};
    std::size_t count = 0;

    void add(std::uint64_t time_ns);
    [[nodiscard]] std::uint64_t median() const { return count == 0 ? 0 : ns.at((count - 1) / 2); }
  };

  // What the probes of one part of the file found.
  struct Sample {
    DeviceSettings settings;
    double resident = 0;
    std::uint32_t judged = 0;
    std::uint32_t probes = 0;
    std::uint64_t time_ns = 0;
    std::uint64_t last_bytes = 0;  // the last one's place
    bool was_hit = false;          // and what it said
    Times hits;
    Times misses;
    std::array<std::uint64_t, 5> asked_pages{};  // where the first were

    [[nodiscard]] bool was_asked(std::uint64_t page) const;
    [[nodiscard]] bool is_in_doubt() const;
    void add(const Answer& answer);
  };

  [[nodiscard]] bool may_use(Backend backend) const;
  [[nodiscard]] bool may_fetch() const;  // is there room for a page in the budget?
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
  std::uint64_t fetched_bytes_ = 0;                                    // by probes that missed
  std::map<std::pair<std::uint64_t, Backend>, bool> is_backend_true_;  // by device, once tested
  std::map<std::uint64_t, DeviceSettings> settings_;                   // by device, once asked
  std::map<std::uint64_t, SpeedSamples> speeds_;                       // by device
};

}  // namespace gray::filecache
