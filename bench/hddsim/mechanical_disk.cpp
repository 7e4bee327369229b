// SPDX-License-Identifier: MIT
#include "bench/hddsim/mechanical_disk.hpp"

#include <algorithm>
#include <iterator>

namespace hddsim {
namespace {

constexpr std::uint64_t kWriteBackBytesMax =
    1024 * 1024;  // of one write-back, so that a request does not wait for long
constexpr unsigned kNeighbours = 32;

}  // namespace

MechanicalDisk::MechanicalDisk(const Profile& profile, std::uint64_t capacity)
    : profile_(profile), capacity_(capacity), geometry_(profile, capacity) {}

std::uint64_t MechanicalDisk::interface_ns(std::uint64_t bytes) const {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) /
                                    static_cast<double>(profile_.interface_rate) * 1e9);
}

std::uint64_t MechanicalDisk::stream_position(std::uint64_t now_ns) const {
  if (now_ns <= stream_.instant_ns) return stream_.offset;
  const std::uint64_t passed = geometry_.passed_bytes(stream_.offset, now_ns - stream_.instant_ns);
  return std::min(stream_.offset + passed, stream_.end);
}

std::uint64_t MechanicalDisk::head_track(std::uint64_t now_ns) const {
  const std::uint64_t offset = stream_.is_on ? stream_position(now_ns) : head_offset_;
  return geometry_.track_of(std::min(offset, capacity_ - 1));
}

void MechanicalDisk::set_stream(std::uint64_t buffered_from, std::uint64_t offset, std::uint64_t instant_ns) {
  stream_ = {true, buffered_from, offset, instant_ns, std::min(offset + profile_.buffer_bytes, capacity_)};
}

// Whether the request starts in the buffer, or passes under the head now, or is so close ahead that the disk waits for it instead
// of seeking.
bool MechanicalDisk::is_in_stream(const Request& request, std::uint64_t now_ns) const {
  return stream_.is_on && request.offset >= stream_.buffered_from &&
         request.offset <= stream_position(now_ns) + profile_.buffer_bytes && request.offset <= stream_.end;
}

bool MechanicalDisk::is_in_write_cache(const Request& request) const {
  auto after = dirty_.upper_bound(request.offset);
  return after != dirty_.begin() && std::prev(after)->second >= request.offset + request.length;
}

std::uint64_t MechanicalDisk::positioning_ns(const Request& request, std::uint64_t now_ns) const {
  if (request.operation == Operation::flush) return 0;
  if (request.operation == Operation::read && is_in_stream(request, now_ns)) return 0;
  if (request.operation == Operation::write && dirty_bytes_ + request.length <= profile_.write_cache_bytes)
    return 0;
  return reach_ns(request.offset, now_ns);
}

std::uint64_t MechanicalDisk::reach_ns(std::uint64_t offset, std::uint64_t now_ns) const {
  const std::uint64_t seek_ns = geometry_.seek_ns(head_track(now_ns), geometry_.track_of(offset));
  return seek_ns + geometry_.rotation_ns(offset, now_ns + seek_ns);
}

Service MechanicalDisk::serve(const Request& request, std::uint64_t now_ns) {
  write_back_until(now_ns);
  const std::uint64_t start_ns = now_ns + profile_.command_ns;
  Service service;
  switch (request.operation) {
    case Operation::read:
      service = read(request, start_ns);
      break;
    case Operation::write:
      service = write(request, start_ns);
      break;
    case Operation::flush:
      service = flush(start_ns);
      break;
  }
  service.next_ns = service.end_ns;
  last_end_ns_ = service.end_ns;
  return service;
}

Service MechanicalDisk::read(const Request& request, std::uint64_t start_ns) {
  if (is_in_write_cache(request)) {
    const std::uint64_t time_ns = interface_ns(request.length);
    return {0, 0, time_ns, true, start_ns + time_ns, 0};
  }
  start_ns = std::max(start_ns, free_at_ns_);
  if (is_in_stream(request, start_ns)) return read_stream(request, start_ns);
  const Service service = move_and_transfer(request.offset, request.length, start_ns);
  set_stream(request.offset, request.offset + request.length, service.end_ns);
  return service;
}

// The stream is not interrupted: bytes that are not in the buffer yet pass under the head in time. A full buffer has stopped the
// stream. Then the platters have to turn until the end of the stream passes again.
Service MechanicalDisk::read_stream(const Request& request, std::uint64_t start_ns) {
  const std::uint64_t end = request.offset + request.length;
  const std::uint64_t position = stream_position(start_ns);
  Service service;
  service.is_buffered = end <= position;
  std::uint64_t media_end_ns = start_ns;
  if (position == stream_.end && end > position) {
    service.rotation_ns = geometry_.rotation_ns(position, start_ns);
    media_end_ns = start_ns + service.rotation_ns + geometry_.transfer_ns(position, end - position);
    set_stream(stream_.buffered_from, end, media_end_ns);
  } else if (end > position) {
    media_end_ns = std::max(start_ns, stream_.instant_ns) + geometry_.transfer_ns(position, end - position);
  }
  stream_.end = std::min(std::max(stream_.end, end + profile_.buffer_bytes), capacity_);
  stream_.buffered_from =
      std::max(stream_.buffered_from, end > profile_.buffer_bytes ? end - profile_.buffer_bytes : 0);
  service.end_ns = std::max(media_end_ns, start_ns + interface_ns(request.length));
  service.transfer_ns = service.end_ns - start_ns - service.rotation_ns;
  return service;
}

Service MechanicalDisk::write(const Request& request, std::uint64_t start_ns) {
  if (profile_.write_cache_bytes == 0 || request.length > profile_.write_cache_bytes) {
    return move_and_transfer(request.offset, request.length, std::max(start_ns, free_at_ns_));
  }
  while (dirty_bytes_ + request.length > profile_.write_cache_bytes)
    start_ns = std::max(start_ns, write_back_one(std::max(start_ns, free_at_ns_)));
  add_dirty(request.offset, request.length);
  const std::uint64_t time_ns = interface_ns(request.length);
  return {0, 0, time_ns, true, start_ns + time_ns, 0};
}

Service MechanicalDisk::flush(std::uint64_t start_ns) {
  std::uint64_t end_ns = std::max(start_ns, dirty_.empty() ? start_ns : free_at_ns_);
  while (!dirty_.empty()) end_ns = write_back_one(std::max(end_ns, free_at_ns_));
  if (free_at_ns_ > end_ns) end_ns = free_at_ns_;
  Service service;
  service.transfer_ns = end_ns - start_ns;
  service.end_ns = end_ns;
  return service;
}

Service MechanicalDisk::move_and_transfer(std::uint64_t offset, std::uint64_t length,
                                          std::uint64_t start_ns) {
  Service service;
  service.seek_ns = geometry_.seek_ns(head_track(start_ns), geometry_.track_of(offset));
  service.rotation_ns = geometry_.rotation_ns(offset, start_ns + service.seek_ns);
  service.transfer_ns = geometry_.transfer_ns(offset, length);
  service.end_ns = start_ns + service.seek_ns + service.rotation_ns + service.transfer_ns;
  stream_.is_on = false;
  head_offset_ = offset + length;
  free_at_ns_ = service.end_ns;
  return service;
}

void MechanicalDisk::add_dirty(std::uint64_t offset, std::uint64_t length) {
  std::uint64_t end = offset + length;
  auto after = dirty_.upper_bound(offset);
  if (after != dirty_.begin() && std::prev(after)->second >= offset) --after;
  while (after != dirty_.end() && after->first <= end) {
    offset = std::min(offset, after->first);
    end = std::max(end, after->second);
    dirty_bytes_ -= after->second - after->first;
    after = dirty_.erase(after);
  }
  dirty_[offset] = end;
  dirty_bytes_ += end - offset;
}

// The part of the cache that the head reaches first. Only the nearest parts on either side are compared.
std::map<std::uint64_t, std::uint64_t>::iterator MechanicalDisk::nearest_dirty(std::uint64_t start_ns) {
  auto part = dirty_.lower_bound(stream_.is_on ? stream_position(start_ns) : head_offset_);
  for (unsigned i = 0; i < kNeighbours && part != dirty_.begin(); ++i) --part;
  auto best = part;
  std::uint64_t best_ns = UINT64_MAX;
  for (unsigned i = 0; i < 2 * kNeighbours && part != dirty_.end(); ++i, ++part) {
    const std::uint64_t time_ns = reach_ns(part->first, start_ns);
    if (time_ns < best_ns) best = part;
    best_ns = std::min(best_ns, time_ns);
  }
  return best;
}

// Writes the part of the cache that the head reaches first. Returns the instant at which that is done.
std::uint64_t MechanicalDisk::write_back_one(std::uint64_t start_ns) {
  const auto best = nearest_dirty(start_ns);
  const std::uint64_t offset = best->first;
  const std::uint64_t end = best->second;
  const std::uint64_t length = std::min(end - offset, kWriteBackBytesMax);
  dirty_.erase(best);
  if (offset + length < end) dirty_[offset + length] = end;
  dirty_bytes_ -= length;
  return move_and_transfer(offset, length, start_ns).end_ns;
}

// Does the disk's own work since the last request: the disk empties its write cache as soon as the head is free, and stops
// its read-ahead to do so.
void MechanicalDisk::write_back_until(std::uint64_t now_ns) {
  constexpr std::uint64_t kIdleNs =
      20'000'000;  // the disk waits so long for another request before it empties the cache
  std::uint64_t start_ns = std::max(free_at_ns_, last_end_ns_ + kIdleNs);
  while (!dirty_.empty() && start_ns < now_ns) start_ns = write_back_one(start_ns);
}

}  // namespace hddsim
