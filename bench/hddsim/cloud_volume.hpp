// SPDX-License-Identifier: MIT
// cloud_volume: a network volume. Operations and bytes a second are capped. Unused operations and bytes become credits for bursts.
// Requests overlap.
#pragma once

#include "bench/hddsim/disk.hpp"

namespace hddsim {

class CloudVolume final : public Disk {
 public:
  explicit CloudVolume(const Profile& profile) : profile_(profile) {}

  Service serve(const Request& request, std::uint64_t now_ns) override;
  [[nodiscard]] std::uint64_t positioning_ns(const Request& request, std::uint64_t now_ns) const override;

 private:
  Profile profile_;
  // Each of the two caps is one instant, up to which the cap is used up. The instant may lie in the past, as far as the credits reach.
  std::uint64_t operations_until_ns_ = 0;
  std::uint64_t bytes_until_ns_ = 0;
};

}  // namespace hddsim
