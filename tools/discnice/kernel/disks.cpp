// SPDX-License-Identifier: MIT
#include "tools/discnice/kernel/disks.hpp"

#include "tools/discnice/kernel/disk_board.hpp"
#include "tools/discnice/kernel/disk_waits.hpp"
#include "tools/discnice/outputs/disk_below.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"
#include "tools/discnice/outputs/io_pressure.hpp"
#include "tools/discnice/protocol/device_facts.hpp"
#include "tools/discnice/protocol/disk_words.hpp"

namespace discnice::guest {
namespace {

std::atomic<protocol::Disk*> disk_last_used{nullptr};

// The number of a device's disk, and how that disk's other users are seen.
struct Identity {
  std::uint64_t number;
  SeenBy seen_by;
};

Identity identify(const Job& job, const Device& device) {
  if (device.counted_disk != 0) return {device.counted_disk, SeenBy::counters};
  std::uint64_t disk = outputs::counted_disk(device.number);
  if (disk == 0 && device.mount_id != 0) disk = outputs::disk_below(device.mount_id);
  if (disk != 0) {
    protocol::store_device_disk(*job.segment, device.number, disk);
    return {disk, SeenBy::counters};
  }
  std::uint64_t stalled_ns = 0;
  return {device.number, outputs::read_io_pressure(&stalled_ns) ? SeenBy::pressure : SeenBy::none};
}

// The entry of the disk whose number `identity` holds. If there is none, an entry is claimed for the disk.
protocol::Disk* claim(Job& job, const Identity& identity) {
  for (protocol::Disk& disk : job.segment->disks) {
    std::uint64_t number = 0;
    if (!disk.number.compare_exchange_strong(number, identity.number + 1, std::memory_order_relaxed) &&
        number != identity.number + 1)
      continue;
    disk.seen_by.store(identity.seen_by, std::memory_order_relaxed);
    return &disk;
  }
  return nullptr;
}

}  // namespace

protocol::Disk* disk_of(Job& job, Device& device) {
  protocol::Disk* known = device.disk.load(std::memory_order_relaxed);
  if (known == nullptr && !device.is_free && !device.is_without_disk.load(std::memory_order_relaxed)) {
    const Identity identity = identify(job, device);
    known = claim(job, identity);
    if (known == nullptr) device.is_without_disk.store(true, std::memory_order_relaxed);
    if (identity.seen_by == SeenBy::pressure) count_disk_waits();
    device.disk.store(known, std::memory_order_relaxed);
  }
  if (known != nullptr) disk_last_used.store(known, std::memory_order_relaxed);
  return known;
}

protocol::Disk* last_disk() {
  return disk_last_used.load(std::memory_order_relaxed);
}

void book_own_traffic(const Job& job, protocol::Disk* disk, std::int64_t read_bytes,
                      std::int64_t write_bytes) {
  if (disk == nullptr) return;
  const auto reads = static_cast<std::uint64_t>(read_bytes);
  const auto writes = static_cast<std::uint64_t>(write_bytes);
  if (reads != 0) disk->own_read_bytes.fetch_add(reads, std::memory_order_relaxed);
  if (writes != 0) disk->own_written_bytes.fetch_add(writes, std::memory_order_relaxed);
  const std::uint64_t number = disk->number.load(std::memory_order_relaxed);
  if ((reads | writes) == 0 || number == 0 || protocol::load_seen_by(*disk) != SeenBy::counters) return;
  protocol::BoardDisk* on_board = board_disk(job, place_of(job, *disk), number - 1);
  if (on_board == nullptr) return;
  if (reads != 0) on_board->own_read_bytes.fetch_add(reads, std::memory_order_relaxed);
  if (writes != 0) on_board->own_written_bytes.fetch_add(writes, std::memory_order_relaxed);
}

void book_sync(const Job& job, protocol::Disk& disk) {
  disk.own_syncs.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t number = disk.number.load(std::memory_order_relaxed);
  if (number == 0 || protocol::load_seen_by(disk) != SeenBy::counters) return;
  if (protocol::BoardDisk* on_board = board_disk(job, place_of(job, disk), number - 1); on_board != nullptr)
    on_board->own_syncs.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace discnice::guest
