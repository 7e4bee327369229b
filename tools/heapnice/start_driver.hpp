// SPDX-License-Identifier: MIT
// start_driver: what the heaps share that can be told their size when they start, and never again.
#pragma once

#include "tools/heapnice/change_log.hpp"
#include "tools/heapnice/driver.hpp"

namespace heapnice {

/// So much of what is there now, within the options' bounds, may be the heap. 0: it is not known, or the least is not there.
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
  /// Sets a variable, and says that it is fixed from now on.
  void tell(const char* variable, const std::string& value, const std::string& what);

 private:
  static constexpr std::uint64_t kRestNs = 3'600'000'000'000;  // nothing is to be done
  const Options& options_;
  ChangeLog log_;
};

}  // namespace heapnice
