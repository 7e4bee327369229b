// SPDX-License-Identifier: MIT
// interface: one end of the line, a TUN device with its addresses in the network namespace of the caller.
#pragma once

#include <cstddef>
#include <string>

#include "toolbox/base/fd.hpp"

namespace netsim {

/// The longest packet. The device has no offload, so no packet is longer.
inline constexpr std::size_t kMtuBytes = 1500;

struct Addresses {
  const char* v4;  // in a network with a prefix of 24 bits
  const char* v6;  // in a network with a prefix of 64 bits
};

inline constexpr Addresses kNear{"10.97.0.1", "fd97::1"};
inline constexpr Addresses kFar{"10.97.0.2", "fd97::2"};

/// Makes the device, sets lo and the device up, and waits until its addresses are in use. A read() of the descriptor takes one packet that leaves the
/// namespace, and a write() delivers one packet to the namespace. Neither call blocks. On failure the result is not open, and `problem` says why. A host
/// without IPv6 gets a warning.
gray::base::ScopedFd make_interface(const Addresses& addresses, std::string& problem);

}  // namespace netsim
