// SPDX-License-Identifier: MIT
// start_driver: the common part of the drivers for heaps whose size can be set only at the program's start.
#pragma once

#include "tools/heapnice/change_log.hpp"
#include "tools/heapnice/driver.hpp"

namespace heapnice {

/// The size that the heap may have: the memory that is free now, within the bounds of the options. 0: the free memory is not known, or is less than the minimum.
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
  /// Sets a variable, and prints that the size is fixed from now on.
  void tell(const char* variable, const std::string& value, const std::string& what);

 private:
  // While the program runs there is nothing to do.
  static constexpr std::uint64_t kRestNs = 3'600'000'000'000;
  const Options& options_;
  ChangeLog log_;
};

}  // namespace heapnice
