// SPDX-License-Identifier: MIT
#include "tools/discnice/pace/unforeseen.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/protocol/members.hpp"

namespace discnice::pace {
namespace {

// A process that makes calls settles within this time,
constexpr std::uint64_t kSilentNs = 2 * guest::kStaleNs;
// except during a long call: some seeks of a slow disk.
constexpr std::uint64_t kLongCallNs = 100'000'000;
// The process is not stopped for fewer bytes. These bytes are kept and are added to the next bytes.
constexpr std::int64_t kWorthBytes = 64 * 1024;

// The growth that was neither charged here nor predicted by the library. The word with the predictions, which includes what was charged here, is
// shared and may hold any number. The result is never more than the growth.
std::int64_t beyond(std::int64_t grown, std::int64_t charged, const std::atomic<std::uint64_t>& foreseen) {
  const std::int64_t open = grown - charged;
  if (open <= 0) return 0;
  const std::uint64_t word = foreseen.load(std::memory_order_relaxed);
  const auto own = static_cast<std::uint64_t>(charged);
  const std::uint64_t by_library = word > own ? word - own : 0;
  return by_library >= static_cast<std::uint64_t>(open) ? 0 : open - static_cast<std::int64_t>(by_library);
}

}  // namespace

Unforeseen::Settlement Unforeseen::last_of(const protocol::Member& member) {
  return {member.settled_at_ns.load(std::memory_order_relaxed),
          protocol::get(member, protocol::Counter::settled_read_bytes),
          protocol::get(member, protocol::Counter::settled_write_bytes)};
}

// The process may wait for a child between the reading of the account and this reading. Then the account includes the
// child at the next look.
bool Unforeseen::may_be_of_child(const std::optional<processes::PageFaults>& faults) {
  const auto before = std::exchange(faults_, faults);
  const bool has_ended = !before || !faults || faults->of_ended_children != before->of_ended_children;
  return std::exchange(has_child_ended_, has_ended) || has_ended;
}

Growth Unforeseen::take(protocol::Member& member, const Growth& growth, std::uint64_t now_ns,
                        const ReadFaults& read_faults) {
  if (const Settlement last = last_of(member); last != settled_) {
    settled_ = last;
    since_settled_ = charged_ = {};
    faults_at_first_.reset();
    if (!faults_) faults_ = read_faults();
    return {};
  }
  since_settled_ += growth;
  if (now_ns < settled_.at_ns + kSilentNs || (since_settled_ - charged_).moved_bytes() < kWorthBytes)
    return {};
  const auto faults = read_faults();
  if (may_be_of_child(faults)) {
    since_settled_ = charged_;
    return {};
  }
  // A long call makes no page faults. So two looks distinguish a long call from page faults.
  if (!faults_at_first_) faults_at_first_ = faults->own;
  if (faults->own == *faults_at_first_ && now_ns < settled_.at_ns + kLongCallNs) return {};
  const Growth found{beyond(since_settled_.read_bytes, charged_.read_bytes, member.pending_read_bytes),
                     beyond(since_settled_.write_bytes, charged_.write_bytes, member.pending_write_bytes), 0};
  if (found.moved_bytes() < kWorthBytes) return {};
  if (last_of(member) != settled_)
    return {};  // the process has just settled, so nothing is predicted any more
  charged_ += found;
  member.pending_read_bytes.fetch_add(static_cast<std::uint64_t>(found.read_bytes),
                                      std::memory_order_relaxed);
  member.pending_write_bytes.fetch_add(static_cast<std::uint64_t>(found.write_bytes),
                                       std::memory_order_relaxed);
  return found;
}

}  // namespace discnice::pace
