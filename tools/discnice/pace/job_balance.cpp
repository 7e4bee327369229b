// SPDX-License-Identifier: MIT
#include "tools/discnice/pace/job_balance.hpp"

#include <algorithm>
#include <atomic>

#include "tools/discnice/protocol/members.hpp"

namespace discnice::pace {
namespace {

using protocol::Counter;

// A member that makes calls settles within milliseconds. A child that was waited for is in two accounts for as long as it takes to look at it again.
constexpr std::uint64_t kSettledWithinNs = 45'000'000;
// Less is not worth a correction.
constexpr std::int64_t kWorthBytes = 128 * 1024;

// The words of a segment are shared, and may be any number: a sum of them is kept to what can be added and subtracted safely.
std::int64_t bounded(std::uint64_t sum) {
  constexpr std::int64_t kMost = std::int64_t{1} << 61U;
  return std::clamp(static_cast<std::int64_t>(sum), -kMost, kMost);
}

// What the members have settled, and what they have foreseen and not settled yet.
Growth accounted_of(const protocol::Segment& segment) {
  const protocol::Totals totals = protocol::totals(segment);
  std::uint64_t read_bytes = totals.of(Counter::settled_read_bytes);
  std::uint64_t write_bytes = totals.of(Counter::settled_write_bytes);
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

// Of what is above, the part that has been for long enough; of what is below, what we had charged.
std::int64_t due(std::int64_t now, std::int64_t least, std::int64_t charged) {
  if (now < 0) return -std::min(-now, std::max<std::int64_t>(charged, 0));
  return least > kWorthBytes ? least : 0;
}

}  // namespace

JobBalance::JobBalance(protocol::Segment& segment, Of of) : segment_(segment) {
  if (of == Of::rest) settled_before_ = accounted_of(segment);
}

Growth JobBalance::settle(const Growth& all, std::uint64_t now_ns, When when) {
  const protocol::JobOptions& options = segment_.options;
  if (options.is_ledger_on == 0 || options.excluded[0][0] != '\0') return {};
  const Growth now = all + settled_before_ - accounted_of(segment_);
  least_ = since_ns_ == 0 ? now : smaller(least_, now);
  if (since_ns_ == 0) since_ns_ = now_ns;
  const bool is_long_enough = now_ns - since_ns_ >= kSettledWithinNs;
  Growth least = is_long_enough ? least_ : Growth{};
  if (when == When::at_its_end) least = now;
  if (is_long_enough) since_ns_ = 0;
  // Whatever stands in the members' words, no more than all that was moved is charged.
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
