// SPDX-License-Identifier: MIT
// start_driver: the common part of the drivers for heaps that can get their size only at the start.
#pragma once

#include "tools/heapnice/change_log.hpp"
#include "tools/heapnice/driver.hpp"

namespace heapnice {

/// How large the heap may be, from the memory that is free now, within the bounds of the options. 0 if this is unknown, or if the minimum is not free.
std::uint64_t start_bytes(const Options& options);

class StartDriver : public Driver {
 public:
  StartDriver(const Options& options, const char* runtime)
      : options_(options), log_(runtime, options.is_verbose) {}

  gray::cli::ChildPause look(pid_t /*child*/) override { return {kRestNs, -1}; }
  [[nodiscard]] const Account& account() const override { return log_.account(); }

 protected:
  [[nodiscard]] const Options& options() const { return options_; }
  ChangeLog& log() { return log_; }
  /// Sets a variable, and prints that it is fixed from now on.
  void tell(const char* variable, const std::string& value, const std::string& what);

 private:
  static constexpr std::uint64_t kRestNs = 3'600'000'000'000;  // nothing is to be done
  const Options& options_;
  ChangeLog log_;
};

}  // namespace heapnice
