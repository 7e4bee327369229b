// SPDX-License-Identifier: MIT
// limits: what each connection may do now: its share of what its path leaves to those who give way, and of the rates that were asked for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "toolbox/base/fd.hpp"
#include "tools/netnice/control/rate_budget.hpp"
#include "tools/netnice/engine/connection.hpp"

namespace netnice {

/// A connection in this tick, with a duplicate of its descriptor that is closed at the tick's end.
struct OpenConnection {
  Connection* connection = nullptr;
  gray::base::ScopedFd fd;
};

struct LimitSettings {
  bool gives_way = true;
  std::optional<std::uint64_t> rates_bytes_per_s[2];  // by Way
};

class Limits {
 public:
  explicit Limits(const LimitSettings& settings);
  /// Decides, and holds each connection to it. Those that are not open now keep what they have.
  void apply(std::uint64_t now_ns, std::map<Address, Path>& paths, std::vector<OpenConnection>& open,
             Holds& holds);

 private:
  void see_paths(std::uint64_t now_ns, std::map<Address, Path>& paths);
  void give_way(Way way, std::vector<OpenConnection>& open, std::vector<double>& limits) const;
  void tell_if_too_many(double rate_bytes_per_s, const std::vector<double>& demands);
  void keep_rate(Way way, std::vector<OpenConnection>& open, std::vector<double>& limits);
  void hold(Way way, OpenConnection& one, double limit, Holds& holds);

  LimitSettings settings_;
  std::optional<RateBudget> budgets_[2];
  bool has_told_near_ = false;
  bool has_told_many_ = false;
  bool has_told_debt_ = false;
};

}  // namespace netnice
