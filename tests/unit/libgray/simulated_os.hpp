// SPDX-License-Identifier: MIT
// simulated_os: a host whose page cache is known, for the detectors: libgray/src/os/os.hpp over files in
// memory.
//
// It behaves as Linux does where that matters here: a read that misses brings pages in (more without the
// advice "random"), cachestat refuses files that are not trusted and says 0 on overlay, mincore says "all"
// for files that are not trusted. Latencies are exact numbers; noise is a test's own business. It counts
// what the detectors ask, so that a test can say what must not be asked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace gray::os::simulated {

struct File {
  std::uint64_t device = 1;
  std::uint64_t inode = 1;
  std::uint64_t size_bytes = 0;
  bool is_regular = true;
  bool is_trusted = true;
  int open_error = 0;                                 // negative errno
  std::optional<std::uint64_t> size_once_open_bytes;  // another size than stat told: somebody truncated it
  std::optional<std::uint64_t> first_extent_bytes;
  std::set<std::uint64_t> resident;  // page numbers
  bool is_random_expected = false;   // set by expect_random_reads()
  bool is_cache_bypassed = false;    // every read goes to the device and leaves nothing behind
  std::int64_t modified_ns = 0;
  std::uint64_t streamed_to_page = UINT64_MAX;  // who goes on from there need not get there
};

struct Host {
  std::map<std::string, File> files;
  std::set<std::uint64_t> overlay_devices;  // cachestat says 0 there
  bool has_cachestat = true;
  bool has_mincore = true;
  bool has_nowait = false;  // most tests are of the oldest ways
  bool has_fault_around = false;
  bool is_mapping_alone = false;  // a fault maps its own page and no other, or none
  std::uint64_t file_system_kind = 0xef53;
  std::optional<bool> is_rotational = true;
  std::uint64_t seconds = 1000;
  std::uint64_t hit_time_ns = 400;
  std::uint64_t miss_time_ns = 90'000;
  std::uint64_t page_time_ns = 20'000;  // of a page that follows the one before, when both are missing
  std::uint64_t read_ahead_pages = 32;  // brought in by a miss that was not announced as random

  bool is_sleep_told = true;  // a read that misses is seen to sleep
  std::set<std::uint64_t>
      robbed_reads;  // these reads, counted from 0, lose the processor and take robbed_time_ns
  std::uint64_t robbed_time_ns = 4'000'000;

  std::uint64_t reads = 0;
  std::uint64_t pages_brought_in = 0;
  std::uint64_t cachestat_calls = 0;
  std::uint64_t mincore_calls = 0;
  std::uint64_t trust_questions = 0;
  std::uint64_t nowait_calls = 0;
  std::uint64_t fault_calls = 0;
  std::uint64_t end_calls = 0;
  std::uint64_t opens = 0;
  std::map<int, std::string> open_files;  // by descriptor; empty when all were closed again
};

/// The one host of this process.
Host& host();

/// A host without files, all counts 0.
void reset();

/// Adds a file of this many pages. The first `resident_pages` of them are cached.
File& add_file(const std::string& path, std::uint64_t pages, std::uint64_t resident_pages);

}  // namespace gray::os::simulated
