// SPDX-License-Identifier: MIT
// trace: one line of comma-separated values for each request, for plots: the instants at which the request came, began and ended by the model, its kind and
// its cost. The first line names the columns. Instants are CLOCK_MONOTONIC.
#pragma once

#include <cstdio>
#include <string>

#include "bench/hddsim/disk.hpp"

namespace hddsim {

struct TraceLine {
  std::uint64_t arrived_ns;
  std::uint64_t started_ns;
  std::uint64_t answered_ns;  ///< When the answer was really sent.
  std::uint64_t queue;        ///< Requests waiting or in service when this one came, itself included.
  Request request;
  Service service;
};

class Trace {
 public:
  Trace() = default;
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// Returns false, with errno set, when the file cannot be written.
  bool open(const std::string& path);
  /// Does nothing when no file is open.
  void write(const TraceLine& line);

 private:
  std::FILE* file_ = nullptr;
};

}  // namespace hddsim
