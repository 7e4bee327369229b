// SPDX-License-Identifier: MIT
// probes: one probe of one page by each of the probing backends, and the confidence in the result of many probes.
#pragma once

#include <cstdint>

#include "libgray/src/filecache/probe_memory.hpp"
#include "libgray/src/os/os.hpp"

namespace gray::filecache {

/// The result of one probe.
struct Answer {
  bool is_valid = false;  // false: the probe gave no answer, for instance where reads bypass the page cache
  bool has_fetched = false;
  bool is_unsupported = false;  // the file system or the host does not offer this backend
  double resident_share = 0;    // the share that is resident of the pages below
  std::uint32_t pages = 1;      // how many pages the probe examined
  std::uint64_t time_ns = 0;
  std::uint64_t access_ns = 0;       // the time of the read that decided; 0: no read was timed
  std::uint64_t certain_hit_ns = 0;  // the time of a repeated read of the same page
  std::uint32_t probes = 1;          // how many single probes were needed
  bool has_fetched_beside = false;   // another page, at beside_bytes, was also fetched for a second opinion
  std::uint64_t beside_bytes = 0;
};

/// Asks whether reading the byte would wait. Gives no answer when the file system cannot tell.
Answer probe_by_nowait(int fd, std::uint64_t offset_bytes);

/// Maps the page, and finds which of the pages around it the kernel maps with it. Pages that this user's probes fetched are left out.
Answer probe_by_fault(int fd, std::uint64_t offset_bytes, const os::FileFacts& facts,
                      const ProbeMemory& memory);

/// The answer of a mapping about the pages that begin at `first_page`. Pages that this user's probes fetched are left out.
Answer judge_window(const os::MappedWindow& window, std::uint64_t first_page, const os::FileFacts& facts,
                    const ProbeMemory& memory);

/// How many pages are mapped together with the page, including those that probes fetched; 0 where the host does not tell.
std::uint32_t count_mapped(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes);

/// Times a read of the byte, and compares it with a second read of the byte (or with the measured threshold if that is not 0).
Answer probe_by_time(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes,
                     std::uint64_t hit_time_max_ns);

/// The confidence in a share found by `probes` random probes: 1 less two standard deviations of the posterior of the share, with a uniform prior (Bayes and Laplace). Never 1.
/// Pure.
double confidence_of(double share, std::uint32_t probes);

}  // namespace gray::filecache
