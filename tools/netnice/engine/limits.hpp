// SPDX-License-Identifier: MIT
// limits: the limit of each connection now: its share of the bytes that its path leaves to traffic that gives way, and its share of the --rate, --up and --down rates. What goes
// by UDP shares the rates as one more connection.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "toolbox/base/fd.hpp"
#include "tools/netnice/control/rate_budget.hpp"
#include "tools/netnice/engine/connection.hpp"

namespace netnice {

/// A connection in this tick, with a duplicate of its descriptor. The duplicate is closed at the tick's end.
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
  /// Computes the limits and sets them on the open connections. Connections that are not open in this tick keep their limits.
  void apply(std::uint64_t now_ns, std::map<Address, Path>& paths, std::vector<OpenConnection>& open,
             Holds& holds);

 private:
  void see_paths(std::uint64_t now_ns, std::map<Address, Path>& paths, const UdpGate& gate);
  void give_way(Way way, std::vector<OpenConnection>& open, std::vector<double>& limits) const;
  void tell_if_too_many(double rate_bytes_per_s, const std::vector<double>& demands);
  void keep_rate(Way way, std::vector<OpenConnection>& open, std::vector<double>& limits, UdpGate& gate);
  void tell_if_too_near(const std::vector<OpenConnection>& open, const std::vector<double>& demands);
  void hold(Way way, OpenConnection& one, double limit, Holds& holds);

  LimitSettings settings_;
  std::optional<RateBudget> budgets_[2];
  bool has_told_near_ = false;
  bool has_told_many_ = false;
  bool has_told_debt_ = false;
};

}  // namespace netnice
