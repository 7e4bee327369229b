// SPDX-License-Identifier: MIT
// udp_gate: netnice's end of libnetnice.so: it puts the library into a program's environment, sets the rates, and reads what the programs have moved by UDP.
//
// Nothing else than a rate is known to hold UDP by: what a queue does to a datagram only the program learns.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "tools/netnice/engine/way.hpp"
#include "tools/netnice/gate/page.hpp"

namespace netnice {

/// One direction of what the tree moves by UDP.
struct UdpFlow {
  std::uint64_t bytes = 0;  // since the start
  std::uint64_t tick_bytes = 0;
  double rate_bytes_per_s = 0;  // of recent time
  bool is_wanting = false;      // a call has waited for its turn
};

class UdpGate {
 public:
  UdpGate() = default;
  ~UdpGate();
  UdpGate(const UdpGate&) = delete;
  UdpGate& operator=(const UdpGate&) = delete;

  /// Makes the gate for programs that are started from now on. Returns why UDP cannot be held, or an empty text. Must be called before the guard is forked.
  std::string make();
  [[nodiscard]] bool is_there() const { return page_ != nullptr; }

  /// The library, which is to be preloaded, and the variables by which it finds this gate.
  [[nodiscard]] const std::string& library() const { return library_; }
  [[nodiscard]] std::pair<std::string, std::string> variable() const;

  /// Tells the programs that netnice is at work, and reads what they have moved since the last look.
  void look(std::uint64_t now_ns);
  void set(Way way, double rate_bytes_per_s);
  /// From now on everything passes.
  void let_go();

  [[nodiscard]] const UdpFlow& of(Way way) const { return flows_[static_cast<int>(way)]; }
  /// Whether something has moved by UDP since the last look.
  [[nodiscard]] bool is_active() const;
  /// Whether the library holds what this process sends and receives.
  [[nodiscard]] bool is_in(pid_t pid) const;

 private:
  [[nodiscard]] gate::Lane& lane_of(Way way) const { return way == Way::up ? page_->up : page_->down; }
  void look_at(Way way, std::uint64_t now_ns);

  gate::Page* page_ = nullptr;
  gate::Name name_;
  std::string library_;
  UdpFlow flows_[2];
  std::uint64_t looked_ns_ = 0;
};

}  // namespace netnice
