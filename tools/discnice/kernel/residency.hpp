// SPDX-License-Identifier: MIT
// residency: answers the cache model's questions from the running kernel. It uses the best backend that permission and the self-test allow:
//
//   cachestat   the kernel's own count; refused on files that the user neither owns nor may write; always 0 on overlay
//   mincore     the same through a mapping; says "all resident" to users it does not trust, so only for the user's own files
//   nowait      a one-byte read that refuses to wait: a refusal is a miss (and brings the page in)
//   timed       the paper's probe: the time of a one-byte read, and whether the thread slept in it
//
// Probes use a second descriptor with POSIX_FADV_RANDOM, so that they do not disturb the program's own read-ahead. This descriptor is opened for one estimate
// and then closed. Each probe that misses may read one page from the disk, and is counted (Counter::probe_bytes).
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/predictor/residency_oracle.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::guest {

/// The numbers in JobOptions::cache_backend. They never change.
enum class Backend : std::uint32_t {
  automatic = 0,
  cachestat = 1,
  mincore = 2,
  nowait = 3,
  timed = 4,
  none = 5
};

/// Answers for one estimate on one open file. The destructor closes the probe descriptor.
class Residency {
 public:
  Residency(OpenFile& file, int fd, const protocol::JobOptions& options, protocol::Member& member);
  ~Residency();
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;

  [[nodiscard]] const predictor::ResidencyOracle& oracle() const { return oracle_; }

 private:
  static std::uint64_t count_resident(void* context, std::uint64_t first_page, std::uint64_t page_count);
  std::uint64_t count_by_cachestat(std::uint64_t first_page, std::uint64_t page_count);
  std::uint64_t count_by_mincore(std::uint64_t first_page, std::uint64_t page_count);
  static predictor::Answer probe_page(void* context, std::uint64_t page);
  static void note_fetch(void* context, std::uint64_t first_page, std::uint64_t page_count);
  bool open_probe();
  predictor::Answer probe_nowait(std::uint64_t offset_bytes);
  predictor::Answer probe_timed(std::uint64_t offset_bytes);
  [[nodiscard]] bool may_use(Backend backend) const;
  void choose();

  OpenFile& file_;
  int fd_;
  long probe_fd_ = -1;
  bool is_nowait_refused_ = false;
  const protocol::JobOptions& options_;
  protocol::Member& member_;
  predictor::ResidencyOracle oracle_;
  std::uint64_t (Residency::*count_)(std::uint64_t first_page, std::uint64_t page_count) = nullptr;
  // The last range that was wholly resident or wholly absent. The same estimate asks about parts of this range. An estimate is so short that the page cache
  // hardly changes meanwhile.
  std::uint64_t first_alike_page_ = 0;
  std::uint64_t end_alike_page_ = 0;
  bool is_alike_resident_ = false;
};

/// Self-test of cachestat on a device: a page that a read has just returned must count as resident. Done once for each device.
void test_count(OpenFile& file, int fd, std::uint64_t page_just_read);

}  // namespace discnice::guest
