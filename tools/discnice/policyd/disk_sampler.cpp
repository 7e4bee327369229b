// SPDX-License-Identifier: MIT
#include "tools/discnice/policyd/disk_sampler.hpp"

#include "toolbox/base/clock.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"

namespace discnice::policyd {
namespace {

bool is_wanted(const std::atomic<std::uint64_t>& wanted_at_ns, std::uint64_t now_ns) {
  const std::uint64_t at_ns = wanted_at_ns.load(std::memory_order_relaxed);
  return at_ns != 0 && at_ns <= now_ns && now_ns - at_ns <= protocol::kWantedMaxNs;
}

bool sample_disks(protocol::Board& board) {
  bool was_wanted = false;
  for (protocol::BoardDisk& disk : board.disks) {
    const std::uint64_t number = disk.number.load(std::memory_order_relaxed);
    const std::uint64_t now_ns = gray::base::monotonic_ns();
    if (number == 0) break;  // the table is filled from the front
    if (!is_wanted(disk.wanted_at_ns, now_ns)) continue;
    was_wanted = true;
    DiskSample sample;
    if (outputs::read_disk_sample(number - 1, &sample)) disk.published.store({now_ns, sample});
  }
  return was_wanted;
}

}  // namespace

DiskSampler::~DiskSampler() {
  if (board_ != nullptr) protocol::unmap(board_);
}

void DiskSampler::find_board() {
  if (board_ != nullptr) protocol::unmap(board_);
  board_ = protocol::map_board().value_or(nullptr);
}

bool DiskSampler::sample() {
  return board_ != nullptr && sample_disks(*board_);
}

}  // namespace discnice::policyd
