// SPDX-License-Identifier: MIT
#include "tools/memnice/holder.hpp"

#include <algorithm>
#include <cmath>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/memnice/job.hpp"
#include "tools/memnice/stops.hpp"

namespace memnice {
namespace {

constexpr std::uint64_t kNsPerUs = 1000;
constexpr double kNsPerS = 1e9;
constexpr std::uint64_t kStepNs = 100'000'000;
constexpr double kStepMinNs = 5e6;
constexpr double kStepsUntilFull = 8;
constexpr double kForgetS = 1;  // how long the job's growth rate is remembered
constexpr double kFirstGrowthBytesPerS =
    1e9;  // a program that has just started may take memory as fast as memory can be written
// Other programs count as waiting if tasks wait for more than 1/kWaitShare of the time.
constexpr std::uint64_t kWaitShare = 20;
// A job whose size is within 1/kNearShare of its limit waits because of its own limit.
constexpr std::uint64_t kNearShare = 8;
constexpr std::uint64_t kSayShare = 8;  // a change of the limit by 1/kSayShare is printed

std::uint64_t less(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}

Wishes wishes_for(const Options& options, const Means& means) {
  Wishes wishes = options.wishes;
  wishes.can_be_held = means.kind() != MeansKind::pause;
  return wishes;
}

}  // namespace

Holder::Holder(const Options& options, Means& means, pid_t root)
    : options_(options), means_(means), root_(root), allowance_(wishes_for(options, means)) {}

std::vector<pid_t> Holder::processes() const {
  const auto members = means_.members();
  return members ? *members : tree_of(root_);
}

// The pool with the least free memory; its room is INT64_MAX if no account tells it.
gray::memory::Pool Holder::tightest_pool() const {
  gray::memory::Pool tightest;
  tightest.room_bytes = INT64_MAX;
  for (gray::memory::Pool& pool : accounts_.shared_pools(options_.pools)) {
    if (pool.room_bytes < tightest.room_bytes) tightest = std::move(pool);
  }
  return tightest;
}

// Whether other programs wait for memory, by the kernel's account of the time in which tasks waited (PSI), without the job's own time. The time counts only if
// memory is scarce in a pool that the job shares with the other programs: a task of another control group, which has a limit of its own, does not wait because
// of the job. For groups of version 1 the kernel gives no such account. If the job's own time is not known, and the job is near its limit, the answer is false,
// because the job itself may be waiting.
bool Holder::others_wait(std::uint64_t now_ns, std::uint64_t job_bytes, const gray::memory::Pool& tightest) {
  const gray::memory::PagingCounters counters = accounts_.paging_counters();
  const auto own_us = means_.own_stall_us();
  const std::uint64_t before_us = stall_us_;
  stall_us_ = less(counters.stall_us, own_us.value_or(0));
  const bool is_scarce = tightest.room_bytes < static_cast<std::int64_t>(tightest.margin_bytes);
  const bool is_ours = accounts_.is_version_2() || tightest.kind == gray::memory::PoolKind::host;
  const bool is_near_limit = job_bytes > decision_.limit_bytes - decision_.limit_bytes / kNearShare;
  const bool is_apart = own_us || !is_near_limit || means_.kind() == MeansKind::pause;
  const bool is_told = counters.has_stall && stepped_at_ns_ != 0 && is_apart && is_scarce && is_ours;
  return is_told && less(stall_us_, before_us) * kNsPerUs * kWaitShare > now_ns - stepped_at_ns_;
}

// This is printed even with --quiet, because the job may wait for ever.
void Holder::say_trouble() {
  if (is_trouble_said_ || !means_.is_job_stuck()) return;
  is_trouble_said_ = true;
  gray::cli::warn(
      "it wants more memory than is left, and there is no swap to put its own into: it waits until there is "
      "room");
}

void Holder::obey(const Decision& decision, const std::vector<pid_t>& pids) {
  if (decision.limit_bytes != kUnlimited || decision_.limit_bytes != kUnlimited)
    means_.hold(decision.limit_bytes, pids);
  if (!means_.stops_by_signals()) {
    if (decision.is_paused != decision_.is_paused) means_.freeze(decision.is_paused);
  } else if (decision.is_paused) {
    // In each step, because the job may have started children.
    const std::vector<pid_t> more = stop_running(pids);
    stopped_.insert(stopped_.end(), more.begin(), more.end());
  } else if (!stopped_.empty()) {
    let_go_on(stopped_);
    stopped_.clear();
  }
}

void Holder::note(const Situation& situation, const Decision& decision) {
  course_.most_bytes = std::max(course_.most_bytes, situation.job_bytes);
  course_.needs_bytes = situation.needs_bytes;
  if (decision.is_squeezed) course_.least_bytes = std::min(course_.least_bytes, decision.limit_bytes);
  const std::uint64_t passed_ns = stepped_at_ns_ == 0 ? 0 : situation.now_ns - stepped_at_ns_;
  if (decision_.is_squeezed) course_.held_ns += passed_ns;
  if (decision_.is_paused) course_.paused_ns += passed_ns;
  if (decision.is_paused && !decision_.is_paused) ++course_.pauses;
}

void Holder::say(const Situation& situation, const Decision& decision) {
  using gray::cli::format_bytes;
  if (decision.is_paused != decision_.is_paused)
    gray::cli::warn("{}",
                    decision.is_paused ? "others still wait for memory: it stands still" : "it goes on");
  if (!decision.is_squeezed) {
    if (decision_.is_squeezed) gray::cli::warn("there is room again");
    return;
  }
  const std::uint64_t moved_bytes =
      std::max(decision.limit_bytes, said_bytes_) - std::min(decision.limit_bytes, said_bytes_);
  if (decision_.is_squeezed && moved_bytes < said_bytes_ / kSayShare) return;
  said_bytes_ = decision.limit_bytes;
  gray::cli::warn("it has {} and works with {}: held to {}", format_bytes(situation.job_bytes),
                  situation.needs_bytes == 0 ? "nobody knows what yet" : format_bytes(situation.needs_bytes),
                  format_bytes(decision.limit_bytes));
}

// A control group keeps the job within its limit at all times. With other means the next step must come before the job can have taken all free memory. The step
// comes sooner when the job grows faster, and when less memory is free.
std::uint64_t Holder::next_step_ns(const Situation& situation) {
  if (means_.kind() == MeansKind::group || situation.room_bytes == INT64_MAX) return kStepNs;
  const double passed_s = static_cast<double>(situation.now_ns - stepped_at_ns_) / kNsPerS;
  const double grown_bytes = static_cast<double>(less(situation.job_bytes, job_bytes_));
  const double forgotten = std::exp(-passed_s / kForgetS);
  growth_bytes_per_s_ = stepped_at_ns_ == 0
                            ? kFirstGrowthBytesPerS
                            : std::max(grown_bytes / passed_s, growth_bytes_per_s_ * forgotten);
  const double full_in_s =
      std::max(static_cast<double>(situation.room_bytes), 0.0) / std::max(growth_bytes_per_s_, 1.0);
  const double step_ns = full_in_s * kNsPerS / kStepsUntilFull;
  return static_cast<std::uint64_t>(std::clamp(step_ns, kStepMinNs, static_cast<double>(kStepNs)));
}

std::uint64_t Holder::step(std::uint64_t now_ns) {
  if (is_let_go_) return kStepNs;
  const std::vector<pid_t> pids = processes();
  Situation situation;
  situation.now_ns = now_ns;
  situation.job_bytes = means_.job_bytes(pids);
  // A job that waits for its own pages, or is paused, touches less than its working set.
  if (decision_.is_paused ||
      (decision_.is_squeezed &&
       situation.job_bytes > decision_.limit_bytes - decision_.limit_bytes / kNearShare))
    demand_.drop_window();
  else
    demand_.step(pids, now_ns);
  situation.needs_bytes = demand_.needs_bytes();
  const gray::memory::Pool tightest = tightest_pool();
  situation.room_bytes = tightest.room_bytes;
  situation.others_wait = others_wait(now_ns, situation.job_bytes, tightest) ||
                          (means_.kind() == MeansKind::pause && situation.room_bytes < 0);
  say_trouble();
  const Decision decision = allowance_.step(situation);
  obey(decision, pids);
  note(situation, decision);
  if (options_.is_verbose) say(situation, decision);
  const std::uint64_t next_ns = next_step_ns(situation);
  decision_ = decision;
  stepped_at_ns_ = now_ns;
  job_bytes_ = situation.job_bytes;
  return next_ns;
}

void Holder::let_go() {
  is_let_go_ = true;
  obey({}, processes());
  decision_ = {};
}

}  // namespace memnice
