// SPDX-License-Identifier: MIT
// discnice_segment_fuzz: any bytes as a job's segment, while members come, are charged, settle, look around and leave.
// fuzz-links: discnice_protocol discnice_policy discnice_outputs
// fuzz-sources: tools/discnice/kernel/account.cpp tools/discnice/job/budget.cpp tools/discnice/kernel/disk_board.cpp tools/discnice/kernel/disk_waits.cpp
// fuzz-sources: tools/discnice/kernel/disk_watch.cpp tools/discnice/kernel/disks.cpp tools/discnice/descriptor/trust.cpp tools/discnice/kernel/progress.cpp
//
// Between two calls anything may be written anywhere, also a grant, an instant or a sum that fits. For every input these must be true. No access leaves the segment. An operation
// waits no longer than its own bytes, and the charged and unpaid bytes in the account, take at the job's rate. No wait is longer than a day. The debt of a
// process comes only from the bytes that the kernel charged to it, no matter which values were pending in the segment.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/poked_memory.hpp"
#include "toolbox/base/clock.hpp"
#include "tools/discnice/job/budget.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/kernel/disk_watch.hpp"
#include "tools/discnice/policy/lanes.hpp"
#include "tools/discnice/policy/lumps.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/device_facts.hpp"
#include "tools/discnice/protocol/lane_account.hpp"
#include "tools/discnice/protocol/left_writes.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

// lifecycle.cpp, which normally defines this, has a constructor that joins jobs. It cannot be linked here.
void discnice::guest::leave_when_other_user() {}

namespace {

using namespace discnice;
using namespace discnice::protocol;
using fuzz::Input;
using fuzz::require;

constexpr std::size_t kInputBytesMax = 512;
// The dirty table has a fuzz target of its own.
constexpr std::size_t kBytes = offsetof(Segment, dirty_table);
constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kStepMaxNs =
    3600 * kSecondNs;  // bound of the change of an account by one operation (policy/rate_window.cpp)
constexpr std::uint32_t kNobody = 999'999;  // a process number that no process has
constexpr std::size_t kPagesMax = 256;

alignas(4096) Segment segment;

struct World {
  Input input;
  std::uint64_t now_ns;
  guest::Job job{&segment, &segment.members[1], kNobody, 1, nullptr};
  bool is_page_touched[kPagesMax] = {};

  void touch(const void* at, std::size_t bytes) {
    const auto first = static_cast<std::size_t>(static_cast<const unsigned char*>(at) -
                                                reinterpret_cast<const unsigned char*>(&segment));
    for (std::size_t page = first / kFrontBytes;
         page <= (first + bytes - 1) / kFrontBytes && page < kPagesMax; ++page)
      is_page_touched[page] = true;
  }
};

std::uint64_t time_of(std::uint64_t units, std::uint64_t rate_per_s) {
  __extension__ using Wide = unsigned __int128;
  const Wide time_ns = static_cast<Wide>(units) * kSecondNs / rate_per_s;
  return time_ns < kAheadMaxNs ? static_cast<std::uint64_t>(time_ns) : kAheadMaxNs;
}

// How long a lane may make an operation wait before the operation's own bytes, for bytes that were charged and not paid.
std::uint64_t ahead_ns(unsigned lane, std::uint64_t rate_per_s) {
  const std::uint64_t charged = segment.lane_charged[lane];
  const std::uint64_t settled = segment.lane_settled[lane];
  return (charged > settled ? time_of(charged - settled, rate_per_s) : 0) + kUnbackedMaxNs;
}

Grant any_grant(Input& input) {
  Grant grant;
  grant.policy_id = static_cast<std::uint32_t>(input.number(1) % 6);
  grant.rate_bytes_per_s = fuzz::strange_number(input, 1'000'000);
  grant.read_rate_bytes_per_s = input.number(1) % 4 == 0 ? fuzz::strange_number(input, 1000) : 0;
  grant.operations_per_s = input.number(1) % 4 == 0 ? input.number(1) : 0;
  grant.window_ns = fuzz::strange_number(input, 100'000'000);
  return grant;
}

void charge_one(World& world) {
  Input& input = world.input;
  const Grant grant = guest::grant_now(world.job, world.now_ns);
  const IoEstimate estimate{.read_bytes = input.number(3), .write_bytes = input.number(2)};
  const guest::Portion portion{input.number(1) % 2 * policy::kLumpMaxNs, policy::kSavedMaxNs};
  std::uint64_t latest_ns = world.now_ns;
  for (unsigned i = 0; i < policy::kLaneCount; ++i) {
    const policy::Lane lane{static_cast<std::uint8_t>(i)};
    const std::uint64_t rate = policy::lane_limit(grant, lane);
    const std::uint64_t units = policy::lane_cost(lane, estimate);
    if (rate == 0 || units == 0) continue;
    const std::uint64_t own_ns = time_of(units, rate) < kStepMaxNs ? time_of(units, rate) : kStepMaxNs;
    const std::uint64_t ahead = ahead_ns(i, rate) < kAheadMaxNs ? ahead_ns(i, rate) : kAheadMaxNs;
    latest_ns = std::max(latest_ns, world.now_ns + ahead + own_ns + policy::kLumpMaxNs / 2);
  }
  require(guest::charge(world.job, grant, estimate, portion, world.now_ns) <= latest_ns);
}

// The pending predictions may have any value. The kernel has charged nothing new to this process meanwhile.
void settle_one(World& world) {
  Input& input = world.input;
  Member& member = *world.job.member;
  guest::settle_own(world.job, world.now_ns);
  const std::uint64_t owed_ns = fuzz::strange_number(input, world.now_ns);
  member.owed_until_ns = owed_ns;
  member.pending_read_bytes = fuzz::strange_number(input, 4096);
  member.pending_write_bytes = fuzz::strange_number(input, 4096);
  for (auto& counter : member.counters.value) counter = fuzz::strange_number(input, 0);
  const std::uint64_t booked = guest::settle_own(world.job, world.now_ns);
  if (booked == 0) require(member.owed_until_ns == owed_ns);
}

void come_or_go(World& world, std::uint64_t choice) {
  Input& input = world.input;
  switch (choice % 4) {
    case 0: {
      const auto pid = static_cast<std::uint32_t>(kNobody + input.number(1));
      Member& member = enter(segment, {pid}, choice % 8 == 0 ? JoinKind::after_exec : JoinKind::after_fork);
      require(&member >= segment.members && &member < segment.members + kMemberMax);
      world.touch(&member, sizeof member);
      world.job.member = &member;
      world.job.pid = pid;
      guest::begin_account(world.job, protocol::JoinKind::after_exec);
      return;
    }
    case 1:
      static_cast<void>(is_deserted(segment, leave(segment, *world.job.member, world.job.pid)));
      return;
    case 2:
      static_cast<void>(take_reservations_of_dead(segment));
      give_back_reserved(*world.job.member, input.number(2));
      return;
    default:
      static_cast<void>(totals(segment));
      static_cast<void>(reserved_bytes(segment));
  }
}

void look_around(World& world, std::uint64_t choice) {
  Input& input = world.input;
  switch (choice % 4) {
    case 0: {
      DeviceFacts facts;
      if (!load_device_facts(segment, input.number(1) % 8, world.now_ns, &facts)) return;
      require(facts.window_pages <= kFactPagesMost && facts.request_pages <= kFactPagesMost &&
              facts.folio_order <= kFactFolioOrderMost);
      return;
    }
    case 1:
      return store_device_facts(
          segment, input.number(1) % 10, world.now_ns,
          {input.number(3), input.number(3), static_cast<std::uint32_t>(input.number(1)), 1});
    case 2: {
      static_cast<void>(lent_rate(segment, world.now_ns));
      const bool was_asked = is_left_asked(segment);
      const Disk& disk = segment.disks[input.number(1) % kDisksMax];
      if (has_left_sender(segment) && !is_sending_left(segment, disk, world.now_ns))
        ask_to_send_left(segment, input.number(2));
      require(!was_asked || is_left_asked(segment));
      return;
    }
    default: {
      const Grant grant = guest::grant_now(world.job, world.now_ns);
      const std::uint64_t latest_ns = guest::latest_paid_ns(world.job, grant, world.now_ns);
      require(latest_ns <= world.now_ns + kAheadMaxNs + kSecondNs);
      static_cast<void>(guest::part_bytes(grant, true, false));
      Disk& disk = segment.disks[input.number(1) % kDisksMax];
      DiskActivity activity;
      static_cast<void>(
          guest::look_at_disk(world.job, disk, guest::Looking::as_known, grant, world.now_ns, &activity));
      require(activity.foreground_at_ns <= world.now_ns && activity.sampled_at_ns <= world.now_ns);
    }
  }
}

void damage(World& world, std::uint64_t choice) {
  Input& input = world.input;
  switch (choice % 4) {
    case 0: {  // damage at any place
      const std::size_t at = fuzz::poke(input, &segment, kBytes, world.now_ns);
      return world.touch(reinterpret_cast<const unsigned char*>(&segment) + at, 1);
    }
    case 1:
      fuzz::poke(input, &segment.grant, offsetof(Segment, classes) - offsetof(Segment, grant), world.now_ns);
      return;
    case 2:  // an instant as a forger who knows the layout would write it
      segment.lane_states[input.number(1) % kLaneStates] =
          pack_instant(world.now_ns + (fuzz::strange_number(input, 0) & kInstantMask));
      return;
    default:
      fuzz::poke(input, &segment.disks, offsetof(Segment, members) - offsetof(Segment, disks), world.now_ns);
  }
}

void run_one(World& world, std::uint64_t choice) {
  Input& input = world.input;
  switch (choice % 16) {
    case 0:
    case 1:
    case 2:
      return damage(world, choice / 16);
    case 3:
      return store_grant(segment, any_grant(input));
    case 4:
      return input.number(1) % 4 == 0 ? change_grant(segment, any_grant(input))
                                      : lend(segment, fuzz::strange_number(input, 1000), true, world.now_ns);
    case 5:
      return come_or_go(world, choice / 16);
    case 6:
    case 7:
      return look_around(world, choice / 16);
    case 8:
      return settle_one(world);
    case 9:
      static_cast<void>(guest::correct(world.job, static_cast<std::int64_t>(fuzz::strange_number(input, 0)),
                                       static_cast<std::int64_t>(fuzz::strange_number(input, 0))));
      return;
    case 10:
      return guest::refund(world.job, fuzz::strange_number(input, 4096));
    case 11:
      world.now_ns += input.number(2) << 20U;
      return;
    default:
      return charge_one(world);
  }
}

void clean(const World& world) {
  auto* bytes = reinterpret_cast<unsigned char*>(&segment);
  std::memset(bytes, 0, kFrontBytes);
  for (std::size_t page = 1; page < kPagesMax; ++page) {
    if (world.is_page_touched[page]) std::memset(bytes + page * kFrontBytes, 0, kFrontBytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kInputBytesMax) return 0;
  World world{Input(data, size), gray::base::monotonic_ns()};
  segment.is_all_reserved = 1;
  segment.options.is_ledger_on = 1;
  Grant grant;
  grant.policy_id = policy::kRateWindowId;
  grant.rate_bytes_per_s = 1'000'000;
  change_grant(segment, grant);
  while (!world.input.is_empty()) run_one(world, world.input.number(1));
  clean(world);
  return 0;
}
