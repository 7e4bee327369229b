// SPDX-License-Identifier: MIT
// probes: one probe of one page, with each of the backends that probe, and the conclusion from many probes.
#pragma once

#include <cstdint>

#include "libgray/src/filecache/probe_memory.hpp"
#include "libgray/src/os/os.hpp"

namespace gray::filecache {

/// The result of one probe.
struct Answer {
  bool is_valid = false;  // false: it said nothing, as where reads bypass the page cache
  bool has_fetched = false;
  bool is_unsupported = false;  // the file system or the host does not offer this backend
  double resident_share = 0;    // of the pages it told of
  std::uint32_t pages = 1;      // how many these are
  std::uint64_t time_ns = 0;
  std::uint64_t access_ns = 0;       // of the read that was judged; 0: none was timed
  std::uint64_t certain_hit_ns = 0;  // of the same page, read once more
  std::uint32_t probes = 1;          // how many it took
  bool has_fetched_beside = false;   // another page as well, for a second opinion, at beside_bytes
  std::uint64_t beside_bytes = 0;
};

/// Whether reading the byte would wait. The answer is not valid if the file system does not say.
Answer probe_by_nowait(int fd, std::uint64_t offset_bytes);

/// Which pages around this one are mapped along with it. Pages that this library fetched are left out.
Answer probe_by_fault(int fd, std::uint64_t offset_bytes, const os::FileFacts& facts,
                      const ProbeMemory& memory);

/// What a mapping told about the pages from `first_page` on. Pages that this library fetched are left out.
Answer judge_window(const os::MappedWindow& window, std::uint64_t first_page, const os::FileFacts& facts,
                    const ProbeMemory& memory);

/// How many pages a mapping of this page shows, including pages that this library fetched; 0 if it shows nothing.
std::uint32_t count_mapped(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes);

/// How long reading the byte takes, compared with a second read of it, or with a measured threshold if that is not 0.
Answer probe_by_time(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes,
                     std::uint64_t hit_time_max_ns);

/// How sure a share is that was found by `probes` random probes: 1 less two standard deviations of the share, if nothing was known before (the posterior of Bayes and Laplace).
/// Never 1. Pure.
double confidence_of(double share, std::uint32_t probes);

}  // namespace gray::filecache
