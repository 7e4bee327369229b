// SPDX-License-Identifier: MIT
#include "bench/hddsim/card.hpp"

#include <algorithm>

namespace hddsim {

std::uint64_t Card::positioning_ns(const Request& /*request*/, std::uint64_t /*now_ns*/) const {
  return 0;
}

// Opens the erase blocks of a write. Returns the time that this costs.
std::uint64_t Card::open_ns(const Request& request) {
  std::uint64_t time_ns = 0;
  const std::uint64_t last = (request.offset + request.length - 1) / profile_.erase_block_bytes;
  for (std::uint64_t block = request.offset / profile_.erase_block_bytes; block <= last; ++block) {
    const auto found = std::find(open_blocks_.begin(), open_blocks_.end(), block);
    if (found != open_blocks_.end()) {
      open_blocks_.erase(found);
    } else {
      time_ns += profile_.erase_ns;
    }
    open_blocks_.push_front(block);
    if (open_blocks_.size() > profile_.open_blocks) open_blocks_.pop_back();
  }
  return time_ns;
}

Service Card::serve(const Request& request, std::uint64_t now_ns) {
  Service service;
  if (request.operation == Operation::write && request.length > 0) service.seek_ns = open_ns(request);
  const std::uint64_t rate = request.operation == Operation::read ? profile_.read_rate : profile_.write_rate;
  service.transfer_ns =
      static_cast<std::uint64_t>(static_cast<double>(request.length) / static_cast<double>(rate) * 1e9);
  service.end_ns = now_ns + profile_.command_ns + service.seek_ns + service.transfer_ns;
  service.next_ns = service.end_ns;
  return service;
}

}  // namespace hddsim
