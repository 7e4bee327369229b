// SPDX-License-Identifier: MIT
#include "tools/discnice/kernel/progress.hpp"

#include "toolbox/base/clock.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/kernel/disk_waits.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/outputs/run_delay.hpp"
#include "tools/discnice/policy/giving_way.hpp"
#include "tools/discnice/policy/manners.hpp"
#include "tools/discnice/protocol/disk_words.hpp"
#include "tools/discnice/protocol/progress_words.hpp"
#include "tools/discnice/protocol/reserve.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::guest {
namespace {

using gray::base::monotonic_ns;

// A shorter read found all its data in memory.
constexpr std::uint64_t kReadWaitNs = 200'000;
// A shorter call on a name found the answer in memory, or at a server that had it in memory.
constexpr std::uint64_t kNameWaitNs = 1'000'000;
// A longer call on a name counts as one block.
constexpr std::uint64_t kNameBytes = 4096;

bool has_memory(protocol::Segment& segment) {
  if (segment.is_progress_reserved.load(std::memory_order_relaxed) != 0) return true;
  if (!protocol::reserve(segment, segment.progress, sizeof segment.progress)) return false;
  segment.is_progress_reserved.store(1, std::memory_order_relaxed);
  return true;
}

protocol::Progress& progress_of(const Job& job, const protocol::Disk& disk) {
  return job.segment->progress[&disk - job.segment->disks];
}

// How many of the job's members are in a call that may wait for a disk, including this one.
std::uint64_t calls_under_way(const Job& job) {
  if (job.segment->members_live.load(std::memory_order_relaxed) <= 1) return 1;
  std::uint64_t others = 0;
  protocol::for_each_member(*job.segment, [&](const protocol::Member& member) {
    if (&member != job.member && member.pid.load(std::memory_order_relaxed) != 0 &&
        member.awaiting_calls.load(std::memory_order_relaxed) != 0)
      ++others;
  });
  return others + 1;
}

std::uint64_t run_delay_now_ns() {
  std::uint64_t delay_ns = 0;
  return outputs::read_run_delay(&delay_ns) ? delay_ns : 0;
}

std::uint64_t run_delay_since_ns(const TellingCall& call) {
  return call.run_delay_ns != 0 ? policy::growth(run_delay_now_ns(), call.run_delay_ns) : 0;
}

ProgressInterval look_at_interval(const protocol::Progress& place) {
  ProgressInterval interval;
  for (unsigned kind = 0; kind < kCallKinds; ++kind)
    interval.calls[kind] = protocol::look_at_calls(place.calls[kind]);
  return interval;
}

// Ends the interval when it is full. One member does this for all members.
void end_interval(protocol::Disk& disk, protocol::Progress& place, JobProgress& progress,
                  DiskActivity activity, std::uint64_t now_ns) {
  std::uint64_t ended_ns = place.ended_at_ns.load(std::memory_order_relaxed);
  if (!policy::is_interval_full(progress, look_at_interval(place)) ||
      !place.ended_at_ns.compare_exchange_strong(ended_ns, now_ns, std::memory_order_relaxed))
    return;
  ProgressInterval interval;
  for (unsigned kind = 0; kind < kCallKinds; ++kind)
    interval.calls[kind] = protocol::take_calls(place.calls[kind]);
  policy::judge_interval(interval, &progress, &activity, now_ns);
  protocol::store_progress(place, progress);
  protocol::store_activity(disk, activity);
}

}  // namespace

bool is_seen_by_progress(const Job& job, const protocol::Disk* disk, const Grant& grant) {
  return disk != nullptr && policy::observed_by(protocol::load_seen_by(*disk), grant) == SeenBy::progress &&
         has_memory(*job.segment);
}

TellingCall begin_call(const Job& job, protocol::Disk* disk, CallKind kind) {
  if (!is_seen_by_progress(job, disk, protocol::load_grant(*job.segment))) return {};
  count_disk_waits();
  TellingCall call{disk, kind};
  begin_again(call);
  return call;
}

void begin_again(TellingCall& call) {
  if (call.disk == nullptr) return;
  call.run_delay_ns = run_delay_now_ns();
  call.began_ns = monotonic_ns();
}

std::uint64_t flush_bytes(const Job& job, const protocol::Disk& disk) {
  return policy::flush_bytes(protocol::load_progress(progress_of(job, disk)));
}

bool end_call(Job& job, const TellingCall& call, std::uint64_t bytes) {
  if (call.disk == nullptr) return false;
  const std::uint64_t now_ns = monotonic_ns();
  protocol::Progress& place = progress_of(job, *call.disk);
  JobProgress progress = protocol::load_progress(place);
  const DiskActivity activity = protocol::load_activity(*call.disk, now_ns);
  if (!policy::is_call_telling(activity, progress, call.began_ns)) return true;
  const std::uint64_t took_ns =
      policy::growth(now_ns - call.began_ns, run_delay_since_ns(call)) / calls_under_way(job);
  const std::uint64_t was_away = progress.is_head_away;
  const CallKind kind = policy::kind_told(&progress, call.kind, took_ns);
  if (progress.is_head_away != was_away) protocol::store_progress(place, progress);
  protocol::add_call(place.calls[static_cast<unsigned>(kind)], bytes / 1024, took_ns / 1000);
  end_interval(*call.disk, place, progress, activity, now_ns);
  return took_ns >= kReadWaitNs;
}

void note_name_call(Job& job, std::uint64_t began_ns) {
  protocol::Disk* disk = last_disk();
  if (monotonic_ns() - began_ns < kNameWaitNs ||
      !is_seen_by_progress(job, disk, protocol::load_grant(*job.segment)))
    return;
  end_call(job, {disk, CallKind::name, began_ns}, kNameBytes);
  note_unheld(kNameBytes);  // no prediction has waited for it, so the next operation does
}

}  // namespace discnice::guest
