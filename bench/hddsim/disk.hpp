// SPDX-License-Identifier: MIT
// disk: the interface between an emulated disk and the queue in front of it. The disk gets a request and returns when the request will be done.
//
// A disk has no clock and no thread: instants come in as arguments and must not run backwards. So a test drives a disk
// through hours in milliseconds. The program that uses the disk sleeps until absolute instants, so errors do not add up.
#pragma once

#include <cstdint>
#include <memory>

#include "bench/hddsim/profile.hpp"

namespace hddsim {

enum class Operation : std::uint8_t { read, write, flush };

struct Request {
  Operation operation = Operation::read;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// How a request was served. The parts are for counters and traces. Two instants matter: the instant at which the request is done, and the instant at which
/// the disk can begin the next request.
struct Service {
  std::uint64_t seek_ns = 0;
  std::uint64_t rotation_ns = 0;
  std::uint64_t transfer_ns = 0;
  bool is_buffered = false;  ///< Answered by the disk's own memory.
  std::uint64_t end_ns = 0;
  std::uint64_t next_ns = 0;
};

class Disk {
 public:
  virtual ~Disk() = default;
  /// Serves a request at `now_ns`, but not before the `next_ns` of the last request. [offset, offset + length) lies on the disk.
  virtual Service serve(const Request& request, std::uint64_t now_ns) = 0;
  /// The time that the disk would need now to reach the request's first byte. The disk chooses by this time among the
  /// waiting requests.
  [[nodiscard]] virtual std::uint64_t positioning_ns(const Request& request, std::uint64_t now_ns) const = 0;
};

/// The disk of a profile, of `capacity` bytes (not 0).
std::unique_ptr<Disk> make_disk(const Profile& profile, std::uint64_t capacity);

}  // namespace hddsim
