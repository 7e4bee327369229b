// SPDX-License-Identifier: MIT
#include "tools/discnice/pace/job_balance.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "tools/discnice/protocol/members.hpp"

namespace discnice::pace {
namespace {

using protocol::Counter;

// A member that makes calls settles within milliseconds. The bytes of a child that was waited for are in two accounts until the
// pacer looks at the child again.
constexpr std::uint64_t kSettledWithinNs = 45'000'000;
// A smaller difference is not worth a correction.
constexpr std::int64_t kWorthBytes = 128 * 1024;

// The words of a segment are shared, and may hold any number. So a sum of them is limited to values that can be added and subtracted
// without overflow.
std::int64_t bounded(std::uint64_t sum) {
  constexpr std::int64_t kMost = std::int64_t{1} << 61U;
  return std::clamp(static_cast<std::int64_t>(sum), -kMost, kMost);
}

Growth settled_of(const protocol::Totals& totals) {
  return {bounded(totals.of(Counter::settled_read_bytes)), bounded(totals.of(Counter::settled_write_bytes)),
          0};
}

// The bytes that the members have predicted and not settled yet.
Growth foreseen_of(const protocol::Segment& segment) {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  protocol::for_each_member(segment, [&](const protocol::Member& member) {
    read_bytes += member.pending_read_bytes.load(std::memory_order_relaxed);
    write_bytes += member.pending_write_bytes.load(std::memory_order_relaxed);
  });
  return {bounded(read_bytes), bounded(write_bytes), 0};
}

void count(protocol::Segment& segment, Counter counter, std::int64_t bytes) {
  segment.left.value[static_cast<unsigned>(counter)].fetch_add(static_cast<std::uint64_t>(bytes),
                                                               std::memory_order_relaxed);
}

// The amount to charge: the part of an excess that has lasted long enough. When the sum is too low, at most the bytes that were
// charged here are given back.
std::int64_t due(std::int64_t now, std::int64_t least, std::int64_t charged) {
  if (now < 0) return -std::min(-now, std::max<std::int64_t>(charged, 0));
  return least > kWorthBytes ? least : 0;
}

}  // namespace

JobBalance::JobBalance(protocol::Segment& segment, Of of) : segment_(segment) {
  const protocol::Totals totals = protocol::totals(segment);
  settled_reads_.begin(totals.of(Counter::settled_read_bytes));
  settled_writes_.begin(totals.of(Counter::settled_write_bytes));
  if (of == Of::rest) settled_before_ = settled_of(totals) + foreseen_of(segment);
}

void JobBalance::Settled::begin(std::uint64_t said) {
  before_last_ = last_ = steady_ = said;
  bytes_ = std::max<std::int64_t>(bounded(said), 0);
}

// A member that leaves moves its sums from one place to another. So one reading may find these sums twice, or not at all. The median of three readings is
// used.
std::int64_t JobBalance::Settled::follow(std::uint64_t said, std::int64_t moved) {
  const auto beyond_steady = [this](std::uint64_t sum) { return static_cast<std::int64_t>(sum - steady_); };
  std::int64_t risen[] = {beyond_steady(before_last_), beyond_steady(last_), beyond_steady(said)};
  std::sort(std::begin(risen), std::end(risen));
  before_last_ = std::exchange(last_, said);
  steady_ += static_cast<std::uint64_t>(risen[1]);
  const auto possible = [&](std::int64_t more) {
    return std::clamp<std::int64_t>(more, 0, std::max<std::int64_t>(moved - bytes_, 0));
  };
  bytes_ += possible(risen[1]);
  return bytes_ + possible(beyond_steady(said));
}

Growth JobBalance::settled_now(const Growth& moved) {
  const protocol::Totals totals = protocol::totals(segment_);
  const Growth least{settled_reads_.follow(totals.of(Counter::settled_read_bytes), moved.read_bytes),
                     settled_writes_.follow(totals.of(Counter::settled_write_bytes), moved.write_bytes), 0};
  return larger(settled_of(totals), least);
}

Growth JobBalance::settle(const Growth& all, std::uint64_t now_ns, When when) {
  const protocol::JobOptions& options = segment_.options;
  if (options.is_ledger_on == 0 || options.excluded[0][0] != '\0') return {};
  const Growth moved = all + settled_before_;
  const Growth now = moved - settled_now(moved) - foreseen_of(segment_);
  least_ = since_ns_ == 0 ? now : smaller(least_, now);
  if (since_ns_ == 0) since_ns_ = now_ns;
  const bool is_long_enough = now_ns - since_ns_ >= kSettledWithinNs;
  Growth least = is_long_enough ? least_ : Growth{};
  if (when == When::at_its_end) least = now;
  if (is_long_enough) since_ns_ = 0;
  // The charge is never more than the bytes that were moved, for any values of the members' words.
  least = smaller(least, all - charged_);
  const Growth found{due(now.read_bytes, least.read_bytes, charged_.read_bytes),
                     due(now.write_bytes, least.write_bytes, charged_.write_bytes), 0};
  if (!found.is_any()) return found;
  charged_ += found;
  since_ns_ = 0;
  count(segment_, Counter::settled_read_bytes, found.read_bytes);
  count(segment_, Counter::settled_write_bytes, found.write_bytes);
  count(segment_, Counter::corrected_read_bytes, found.read_bytes);
  count(segment_, Counter::corrected_write_bytes, found.write_bytes);
  return found;
}

}  // namespace discnice::pace
