// SPDX-License-Identifier: MIT
// probes: one probe of one page, by each of the backends that probe, and what many of them say together.
#pragma once

#include <cstdint>

#include "libgray/src/filecache/probe_memory.hpp"
#include "libgray/src/os/os.hpp"

namespace gray::filecache {

/// What one probe said.
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

/// Would reading the byte wait? Not where the file system does not say.
Answer probe_by_nowait(int fd, std::uint64_t offset_bytes);

/// Which of the pages around are mapped along with this one? Pages that we fetched ourselves are left out.
Answer probe_by_fault(int fd, std::uint64_t offset_bytes, const os::FileFacts& facts,
                      const ProbeMemory& memory);

/// What a mapping told of the pages from `first_page` on. Pages that we fetched ourselves are left out.
Answer judge_window(const os::MappedWindow& window, std::uint64_t first_page, const os::FileFacts& facts,
                    const ProbeMemory& memory);

/// How many pages a mapping of this one shows, our own too; 0 where it shows nothing.
std::uint32_t count_mapped(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes);

/// How long does reading the byte take, beside a second read of it (or a measured threshold, when not 0)?
Answer probe_by_time(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes,
                     std::uint64_t hit_time_max_ns);

/// How sure a share is that `probes` random probes found: 1 less two standard deviations of what the share may be,
/// when nothing was known before (the posterior of Bayes and Laplace). Never 1. Pure.
double confidence_of(double share, std::uint32_t probes);

}  // namespace gray::filecache
