// SPDX-License-Identifier: MIT
#include "bench/hddsim/disk.hpp"

#include "bench/hddsim/card.hpp"
#include "bench/hddsim/cloud_volume.hpp"
#include "bench/hddsim/mechanical_disk.hpp"

namespace hddsim {

std::unique_ptr<Disk> make_disk(const Profile& profile, std::uint64_t capacity) {
  switch (profile.kind) {
    case Kind::card:
      return std::make_unique<Card>(profile);
    case Kind::cloud:
      return std::make_unique<CloudVolume>(profile);
    case Kind::mechanical:
      break;
  }
  return std::make_unique<MechanicalDisk>(profile, capacity);
}

}  // namespace hddsim
