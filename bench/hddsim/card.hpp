// SPDX-License-Identifier: MIT
// card: a memory card. Every byte takes the same time, but a write outside the few open erase blocks costs an erase.
#pragma once

#include <list>

#include "bench/hddsim/disk.hpp"

namespace hddsim {

class Card final : public Disk {
 public:
  explicit Card(const Profile& profile) : profile_(profile) {}

  Service serve(const Request& request, std::uint64_t now_ns) override;
  [[nodiscard]] std::uint64_t positioning_ns(const Request& request, std::uint64_t now_ns) const override;

 private:
  std::uint64_t open_ns(const Request& request);

  Profile profile_;
  std::list<std::uint64_t> open_blocks_;  // the block written last is in front
};

}  // namespace hddsim
