// SPDX-License-Identifier: MIT
// mechanical_disk: one head over turning platters, a buffer that reads ahead, and a write cache that is emptied when the disk has nothing else to do.
//
// After a read the head stays, and the buffer fills with the bytes that follow, at the speed of the platters, until it is full. A read
// that continues finds its data in the buffer or passing under the head, and needs no seek and no turn. Any other request moves the head. With a
// write cache a write is over when the cache has it. The disk writes the cache to the platters while it is idle, nearest part first, and
// before the answer to a flush. If a request arrives while the disk writes from its cache, the disk finishes that write first.
#pragma once

#include <map>

#include "bench/hddsim/disk.hpp"
#include "bench/hddsim/geometry.hpp"

namespace hddsim {

class MechanicalDisk final : public Disk {
 public:
  MechanicalDisk(const Profile& profile, std::uint64_t capacity);

  Service serve(const Request& request, std::uint64_t now_ns) override;
  [[nodiscard]] std::uint64_t positioning_ns(const Request& request, std::uint64_t now_ns) const override;

 private:
  // The head is over the byte `offset` at `instant_ns`, and reads on from there until the buffer is full.
  struct Stream {
    bool is_on = false;
    std::uint64_t buffered_from = 0;
    std::uint64_t offset = 0;
    std::uint64_t instant_ns = 0;
    std::uint64_t end = 0;
  };

  Service read(const Request& request, std::uint64_t start_ns);
  Service read_stream(const Request& request, std::uint64_t start_ns);
  Service write(const Request& request, std::uint64_t start_ns);
  Service flush(std::uint64_t start_ns);
  Service move_and_transfer(std::uint64_t offset, std::uint64_t length, std::uint64_t start_ns);
  [[nodiscard]] bool is_in_stream(const Request& request, std::uint64_t now_ns) const;
  [[nodiscard]] bool is_in_write_cache(const Request& request) const;
  [[nodiscard]] std::uint64_t stream_position(std::uint64_t now_ns) const;
  [[nodiscard]] std::uint64_t head_track(std::uint64_t now_ns) const;
  [[nodiscard]] std::uint64_t interface_ns(std::uint64_t bytes) const;
  void set_stream(std::uint64_t buffered_from, std::uint64_t offset, std::uint64_t instant_ns);
  [[nodiscard]] std::uint64_t reach_ns(std::uint64_t offset, std::uint64_t now_ns) const;
  std::map<std::uint64_t, std::uint64_t>::iterator nearest_dirty(std::uint64_t start_ns);
  void add_dirty(std::uint64_t offset, std::uint64_t length);
  std::uint64_t write_back_one(std::uint64_t start_ns);
  void write_back_until(std::uint64_t now_ns);

  Profile profile_;
  std::uint64_t capacity_;
  Geometry geometry_;
  Stream stream_;
  std::uint64_t head_offset_ = 0;                 // where the head was left; used when there is no stream
  std::uint64_t free_at_ns_ = 0;                  // the head is busy until then
  std::map<std::uint64_t, std::uint64_t> dirty_;  // the write cache: start -> end of parts that do not touch
  std::uint64_t dirty_bytes_ = 0;
  std::uint64_t last_end_ns_ = 0;  // when the last request was answered
};

}  // namespace hddsim
