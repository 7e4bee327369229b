// SPDX-License-Identifier: MIT
#include "tools/discnice/policyd/disk_sampler.hpp"

#include <filesystem>
#include <system_error>

#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::policyd {
namespace {

using Samples = std::map<std::uint64_t, DiskSample>;

bool is_wanted(const std::atomic<std::uint64_t>& wanted_at_ns, std::uint64_t now_ns) {
  const std::uint64_t at_ns = wanted_at_ns.load(std::memory_order_relaxed);
  return at_ns != 0 && at_ns <= now_ns && now_ns - at_ns <= protocol::kWantedMaxNs;
}

// Whether a file in the folder is a board: "discnice-", a number, and the end of this release's names.
bool is_board(const std::string& name) {
  const std::string prefix = protocol::kBoardPrefix;
  const std::string end = protocol::kBoardMark + std::to_string(protocol::kBoardVersion);
  if (name.size() <= prefix.size() + end.size() || name.rfind(prefix, 0) != 0) return false;
  const std::string user = name.substr(prefix.size(), name.size() - prefix.size() - end.size());
  return user.find_first_not_of("0123456789") == std::string::npos &&
         name.substr(prefix.size() + user.size()) == end;
}

protocol::BoardName named(const std::string& text) {
  protocol::BoardName name;
  text.copy(name.text, sizeof name.text - 1);
  return name;
}

bool sample_disks(protocol::Board& board, Samples& samples) {
  bool was_wanted = false;
  for (protocol::BoardDisk& disk : board.disks) {
    const std::uint64_t number = disk.number.load(std::memory_order_relaxed);
    const std::uint64_t now_ns = gray::base::monotonic_ns();
    if (number == 0) break;  // the table is filled from the front
    if (!is_wanted(disk.wanted_at_ns, now_ns)) continue;
    was_wanted = true;
    auto known = samples.find(number);
    if (known == samples.end()) {
      DiskSample sample;
      if (!outputs::read_disk_sample(number - 1, &sample)) continue;
      known = samples.emplace(number, sample).first;
    }
    disk.published.store({now_ns, known->second});
  }
  return was_wanted;
}

}  // namespace

DiskSampler::~DiskSampler() {
  for (const auto& [name, board] : boards_) protocol::unmap(board);
}

void DiskSampler::find_boards() {
  const std::string own = protocol::board_name(geteuid()).text;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(protocol::kSegmentFolder, error)) {
    const std::string name = entry.path().filename().string();
    if (!is_board(name) || boards_.count(name) != 0 || (geteuid() != 0 && name != own)) continue;
    const auto board = protocol::join_board(named(name));
    if (board) boards_.emplace(name, board.value());
  }
}

bool DiskSampler::sample() {
  bool was_wanted = false;
  Samples samples;
  for (const auto& [name, board] : boards_) {
    if (sample_disks(*board, samples)) was_wanted = true;
  }
  return was_wanted;
}

}  // namespace discnice::policyd
