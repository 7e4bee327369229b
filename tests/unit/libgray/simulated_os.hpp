// SPDX-License-Identifier: MIT
// simulated_os: a host with a known page cache, for tests of the detectors: libgray/src/os/os.hpp implemented with files in
// memory.
//
// It behaves as Linux does in the points that matter here. A read that misses reads pages in (more pages without the
// advice "random"). cachestat refuses files that are not trusted, and returns 0 on overlay. mincore returns "all cached"
// for files that are not trusted. Latencies are exact numbers. A test adds noise itself. The host counts the detectors' questions, so that a test can check
// that a question is not asked.
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
  int open_error = 0;  // negative errno
  // A size that differs from the size of stat, as after a truncation.
  std::optional<std::uint64_t> size_once_open_bytes;
  std::optional<std::uint64_t> first_extent_bytes;
  std::set<std::uint64_t> resident;  // page numbers
  bool is_random_expected = false;   // set by expect_random_reads()
  bool is_cache_bypassed = false;    // every read goes to the device and leaves nothing behind
  std::int64_t modified_ns = 0;
  std::uint64_t streamed_to_page = UINT64_MAX;  // a read that continues here pays no access time
};

struct Host {
  std::map<std::string, File> files;
  std::set<std::uint64_t> overlay_devices;  // cachestat returns 0 on these devices
  bool has_cachestat = true;
  bool has_mincore = true;
  bool has_nowait = false;  // most tests are about the oldest ways
  bool has_fault_around = false;
  bool is_mapping_alone = false;  // a fault maps its own page only, or nothing
  std::uint64_t file_system_kind = 0xef53;
  std::optional<bool> is_rotational = true;
  std::uint64_t seconds = 1000;
  std::uint64_t hit_time_ns = 400;
  std::uint64_t miss_time_ns = 90'000;
  std::uint64_t page_time_ns = 20'000;  // time of a missing page that follows another missing page
  std::uint64_t read_ahead_pages = 32;  // read in by a miss without the advice "random"

  bool is_sleep_told = true;  // a read that misses is seen to sleep
  std::set<std::uint64_t>
      robbed_reads;  // the numbers of reads, from 0, that lose the processor and take robbed_time_ns
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
  std::map<int, std::string> open_files;  // by descriptor; empty when all files were closed again
};

/// The single host of this process.
Host& host();

/// Resets the host: no files, all counts 0.
void reset();

/// Adds a file of this many pages. The first `resident_pages` of them are cached.
File& add_file(const std::string& path, std::uint64_t pages, std::uint64_t resident_pages);

}  // namespace gray::os::simulated
