// SPDX-License-Identifier: MIT
// jobs: the segments of this user's jobs in /dev/shm.
#pragma once

#include <string>
#include <vector>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// A mapped segment; unmapped when it goes.
class MappedJob {
 public:
  explicit MappedJob(protocol::Segment* segment) : segment_(segment) {}
  ~MappedJob();
  MappedJob(MappedJob&& other) noexcept : segment_(other.segment_) { other.segment_ = nullptr; }
  MappedJob(const MappedJob&) = delete;
  MappedJob& operator=(const MappedJob&) = delete;
  MappedJob& operator=(MappedJob&&) = delete;

  [[nodiscard]] const protocol::Segment& segment() const { return *segment_; }

 private:
  protocol::Segment* segment_;
};

/// The jobs of this user that have somebody alive in them. Removes what dead ones left behind.
std::vector<MappedJob> find_jobs();

}  // namespace discnice::cli
