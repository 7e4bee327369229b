// SPDX-License-Identifier: MIT
// discnice_board_fuzz: any bytes as the board of disks, while members look at it and the daemon writes to it.
// fuzz-links: discnice_protocol discnice_policy
//
// For every input these must be true. No access leaves the board. A sample counts as fresh only if its instant is possible. For any content of the board,
// `idle`, `nice` and `manners` hold an operation for the time of one turn at most. This is also true after an interval with any progress was judged.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/poked_memory.hpp"
#include "tools/discnice/policy/floor.hpp"
#include "tools/discnice/policy/foreground.hpp"
#include "tools/discnice/policy/manners.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/board.hpp"
#include "tools/discnice/protocol/disk_words.hpp"
#include "tools/discnice/protocol/progress_words.hpp"

namespace {

using namespace discnice;
using fuzz::Input;
using fuzz::require;

constexpr std::size_t kInputBytesMax = 512;
constexpr std::uint64_t kNowNs = UINT64_C(1) << 40U;

alignas(4096) protocol::Board board;
protocol::Disk disk;          // a part of the job's segment, damaged in the same way
protocol::Progress progress;  // damaged in the same way

struct World {
  Input input;
  std::uint64_t now_ns = kNowNs;
};

void look(World& world) {
  Input& input = world.input;
  protocol::BoardDisk* entry = protocol::find_disk(board, input.number(1) % 80);
  if (entry == nullptr) return;
  require(entry >= board.disks && entry < board.disks + protocol::kBoardDisksMax);
  DiskSample sample;
  if (!protocol::published_sample(*entry, world.now_ns, &sample)) {
    const auto number = [&input] { return static_cast<std::uint32_t>(input.number(1)); };
    sample = {input.number(2) << 12U,
              input.number(2) << 12U,
              number(),
              number(),
              number(),
              number(),
              number(),
              number(),
              number()};
  }
  Grant grant;
  grant.policy_id = input.number(1) % 2 == 0 ? policy::kIdleId : policy::kNiceId;
  grant.rate_min_bytes_per_s = input.number(1);
  const DiskActivity before = protocol::load_activity(disk, world.now_ns);
  const OwnTraffic own{entry->own_read_bytes.load(), entry->own_written_bytes.load(), 1,
                       static_cast<std::uint16_t>(input.number(1) % 2),
                       static_cast<std::uint32_t>(entry->own_syncs.load())};
  const DiskActivity after = policy::observe(before, sample, own, grant, world.now_ns);
  protocol::store_activity(disk, after);
  const std::uint64_t cost_bytes = fuzz::strange_number(input, 4096) >> 4U;
  const policy::Policy& policy = policy::policy_by_id(grant.policy_id);
  for (const DiskActivity& activity : {after, protocol::load_activity(disk, world.now_ns)}) {
    const policy::Decision decision = policy.hold({world.now_ns}, grant, activity, cost_bytes, world.now_ns);
    require(decision.verdict.start_at_ns <= world.now_ns + policy::kTurnNs);
    require(decision.next.paid_until_ns == world.now_ns);
  }
}

void judge(World& world) {
  Input& input = world.input;
  for (protocol::OpenCallSums& sums : progress.calls)
    protocol::add_call(sums, input.number(2), input.number(3));
  JobProgress known = protocol::load_progress(progress);
  DiskActivity activity = protocol::load_activity(disk, world.now_ns);
  const std::uint64_t step_bytes = policy::flush_bytes(known);
  require(step_bytes >= policy::kFlushBytesMin && step_bytes <= 4 * policy::kFlushBytesMax);
  policy::kind_told(&known, CallKind::read_on, input.number(3));
  ProgressInterval interval;
  for (unsigned kind = 0; kind < kCallKinds; ++kind)
    interval.calls[kind] = protocol::take_calls(progress.calls[kind]);
  policy::judge_interval(interval, &known, &activity, world.now_ns);
  protocol::store_progress(progress, known);
  protocol::store_activity(disk, activity);
  Grant grant;
  grant.policy_id = policy::kMannersId;
  const DiskActivity loaded = protocol::load_activity(disk, world.now_ns);
  const policy::Decision decision =
      policy::kManners.hold({world.now_ns}, grant, loaded, input.number(2), world.now_ns);
  require(decision.verdict.start_at_ns <= world.now_ns + policy::kTurnNs);
}

void run_one(World& world, std::uint64_t choice) {
  Input& input = world.input;
  switch (choice % 10) {
    case 0:
    case 1:
      fuzz::poke(input, &board, sizeof board, world.now_ns);
      return;
    case 2:
      fuzz::poke(input, &disk, sizeof disk, world.now_ns);
      return;
    case 3:
      world.now_ns += input.number(2) << 16U;
      return;
    case 4: {
      protocol::BoardDisk& entry = board.disks[input.number(1) % protocol::kBoardDisksMax];
      entry.published.store({world.now_ns - input.number(1), {input.number(1), input.number(2), 0, 0, 0, 0}});
      return;
    }
    case 5:
      require(protocol::load_seen_by(disk) <= SeenBy::progress);
      return;
    case 6:
      fuzz::poke(input, &progress, sizeof progress, world.now_ns);
      return;
    case 7:
      return judge(world);
    default:
      return look(world);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kInputBytesMax) return 0;
  World world{Input(data, size)};
  while (!world.input.is_empty()) run_one(world, world.input.number(1));
  std::memset(static_cast<void*>(&board), 0, sizeof board);
  std::memset(static_cast<void*>(&disk), 0, sizeof disk);
  std::memset(static_cast<void*>(&progress), 0, sizeof progress);
  return 0;
}
