// SPDX-License-Identifier: MIT
#include "tools/discnice/kernel/disk_watch.hpp"

#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/kernel/disk_board.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/kernel/progress.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"
#include "tools/discnice/outputs/io_pressure.hpp"
#include "tools/discnice/policy/foreground.hpp"
#include "tools/discnice/policy/lumps.hpp"
#include "tools/discnice/policy/manners.hpp"
#include "tools/discnice/policy/pressure.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/disk_words.hpp"
#include "tools/discnice/protocol/left_writes.hpp"
#include "tools/discnice/protocol/measured_reads.hpp"

namespace discnice::guest {
namespace {

// True for exactly one member when it is time to look at the disk again.
bool takes_look(protocol::Disk& disk, std::uint64_t now_ns) {
  std::uint64_t before_ns = disk.sampled_at_ns.load(std::memory_order_relaxed);
  const bool is_fresh = before_ns <= now_ns && now_ns - before_ns < kLookNs;
  return !is_fresh &&
         disk.sampled_at_ns.compare_exchange_strong(before_ns, now_ns, std::memory_order_relaxed);
}

// A sample that the daemon took a moment ago is used instead of reading the counters.
bool look_at_counters(protocol::BoardDisk* on_board, std::uint64_t disk, std::uint64_t now_ns,
                      DiskSample* sample) {
  if (on_board != nullptr && protocol::published_sample(*on_board, now_ns, sample)) return true;
  return outputs::read_disk_sample(disk, sample);
}

OwnTraffic own_traffic(const Job& job, const protocol::Disk& disk, const protocol::BoardDisk* on_board,
                       std::uint64_t now_ns) {
  const std::uint16_t is_syncing = protocol::is_sending_left(*job.segment, disk, now_ns) ? 1 : 0;
  if (on_board == nullptr)
    return {disk.own_read_bytes.load(std::memory_order_relaxed),
            disk.own_written_bytes.load(std::memory_order_relaxed), 0, is_syncing,
            static_cast<std::uint32_t>(disk.own_syncs.load(std::memory_order_relaxed))};
  return {on_board->own_read_bytes.load(std::memory_order_relaxed),
          on_board->own_written_bytes.load(std::memory_order_relaxed), 1, is_syncing,
          static_cast<std::uint32_t>(on_board->own_syncs.load(std::memory_order_relaxed))};
}

// Looks at the disk once, in the way in which this disk is observed. Returns false when nothing could be observed.
bool observe_disk(Job& job, protocol::Disk& disk, const Grant& grant, std::uint64_t now_ns,
                  DiskActivity* activity) {
  const std::uint64_t claimed = disk.number.load(std::memory_order_relaxed);
  if (claimed == 0) return false;
  const std::uint64_t number = claimed - 1;
  Grant here = grant;
  here.random_read_ns = protocol::measured_read_ns(*job.segment, number);
  const SeenBy seen_by = policy::observed_by(protocol::load_seen_by(disk), grant);
  // The job's own traffic must not count as traffic of others. Where the disk has counters, the job reads them first and settles afterwards. So its own traffic
  // is never lower than its part of the counters.
  if (seen_by != SeenBy::counters) settle(job);
  switch (seen_by) {
    case SeenBy::counters: {
      protocol::BoardDisk* on_board = board_disk(job, place_of(job, disk), number);
      DiskSample sample;
      if (!look_at_counters(on_board, number, now_ns, &sample)) return false;
      settle(job);
      // A program that is held from outside continues during the look. So at the first look the requests under way are most likely its own.
      if (job.book_from_outside != nullptr && activity->sampled_at_ns == 0)
        sample.in_flight = sample.reads_in_flight = 0;
      *activity = policy::observe(*activity, sample, own_traffic(job, disk, on_board, now_ns), here, now_ns);
      return true;
    }
    case SeenBy::pressure: {
      if (!policy::is_pressure_due(*activity, now_ns)) return true;
      PressureSample pressure;
      if (!outputs::read_io_pressure(&pressure.stalled_ns)) return false;
      pressure.own_stalled_ns = own_stalled_ns(job, now_ns);
      *activity = policy::observe_pressure(*activity, pressure, own_traffic(job, disk, nullptr, now_ns), here,
                                           now_ns);
      return true;
    }
    case SeenBy::untested:
    case SeenBy::none:
    case SeenBy::progress:  // a call that has ended has told all there is to know (progress.hpp)
      return false;
  }
  return false;
}

}  // namespace

bool look_at_disk(Job& job, protocol::Disk& disk, Looking looking, const Grant& grant, std::uint64_t now_ns,
                  DiskActivity* activity) {
  *activity = protocol::load_activity(disk, now_ns);
  if (looking == Looking::as_known || is_seen_by_progress(job, &disk, grant) || !takes_look(disk, now_ns))
    return activity->sampled_at_ns != 0;
  if (!observe_disk(job, disk, grant, now_ns, activity)) return false;
  protocol::store_activity(disk, *activity);
  return true;
}

const policy::Policy& policy_on(const Job& job, const protocol::Disk* disk, const Grant& grant) {
  return is_seen_by_progress(job, disk, grant) ? policy::kManners : policy::policy_by_id(grant.policy_id);
}

bool is_disk_shared(const protocol::Disk* disk, std::uint64_t now_ns) {
  return disk != nullptr &&
         policy::was_shared_within(policy::kLumpMemoryNs, protocol::load_activity(*disk, now_ns), now_ns);
}

}  // namespace discnice::guest
