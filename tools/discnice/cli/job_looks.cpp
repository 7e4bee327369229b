// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/job_looks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <climits>

#include <sys/sysmacros.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/cli/job_processes.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"
#include "tools/discnice/processes/processes.hpp"
#include "tools/discnice/protocol/disk_words.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

using protocol::Counter;

// A request of another user within this time means that others use the disk.
constexpr std::uint64_t kBusyNs = 1'000'000'000;
// As a rule, the kernel writes dirty data to the disk within this time (vm.dirty_expire_centisecs).
constexpr double kWrittenWithinSeconds = 35;

Others others_of(const protocol::Segment& segment, std::uint64_t now_ns) {
  Others others = Others::unknown;
  for (const protocol::Disk& disk : segment.disks) {
    const DiskActivity activity = protocol::load_activity(disk, now_ns);
    if (activity.sampled_at_ns == 0 || activity.sampled_at_ns + kBusyNs < now_ns) continue;
    if (activity.foreground_at_ns != 0 && activity.foreground_at_ns + kBusyNs > now_ns) return Others::there;
    others = Others::away;
  }
  return others;
}

std::string name_of_disk(std::uint64_t number) {
  char target[PATH_MAX];
  const ssize_t length = readlink(fmt::format("/sys/dev/block/{}:{}", major(number), minor(number)).c_str(),
                                  target, sizeof target);
  if (length <= 0) return fmt::format("{}:{}", major(number), minor(number));
  const std::string path(target, static_cast<std::size_t>(length));
  return path.substr(path.rfind('/') + 1);
}

double rate_of(std::uint64_t before, std::uint64_t now, double seconds) {
  return now > before ? static_cast<double>(now - before) / seconds : 0;
}

double seconds_between(std::uint64_t before_ns, std::uint64_t now_ns) {
  return before_ns == 0 || now_ns <= before_ns ? 0 : static_cast<double>(now_ns - before_ns) / 1e9;
}

// Adds the bytes that this job has moved on each disk that it knows.
void add_disks(const protocol::Segment& segment, std::map<std::uint64_t, OwnTraffic>& disks) {
  for (const protocol::Disk& disk : segment.disks) {
    const std::uint64_t number = disk.number.load(std::memory_order_relaxed);
    if (number == 0) continue;
    OwnTraffic& own = disks[number - 1];
    own.read_bytes += disk.own_read_bytes.load(std::memory_order_relaxed);
    own.written_bytes += disk.own_written_bytes.load(std::memory_order_relaxed);
  }
}

}  // namespace

Watch::Sums Watch::sums_of(const protocol::Member& member, std::uint64_t now_ns) {
  return {now_ns, get(member, Counter::settled_read_bytes), get(member, Counter::settled_write_bytes),
          get(member, Counter::slept_ns)};
}

Watch::Sums Watch::sums_of(const protocol::Segment& segment, std::uint64_t now_ns) {
  const protocol::Totals totals = protocol::totals(segment);
  return {now_ns, totals.of(Counter::settled_read_bytes), totals.of(Counter::settled_write_bytes),
          totals.of(Counter::slept_ns)};
}

Rates Watch::advance(const std::string& key, const Sums& now, std::uint64_t processes) {
  Sums& before = before_[key];
  const double seconds = seconds_between(before.at_ns, now.at_ns);
  Rates rates;
  if (seconds > 0) {
    rates.read_bytes_per_s = rate_of(before.read_bytes, now.read_bytes, seconds);
    rates.write_bytes_per_s = rate_of(before.write_bytes, now.write_bytes, seconds);
    // Threads of one process may wait at the same time, and the sum includes processes that have ended. So the share could exceed 1.
    const double slept_share = rate_of(before.slept_ns, now.slept_ns, seconds) / 1e9;
    rates.waiting_share =
        std::min(1.0, slept_share / static_cast<double>(std::max<std::uint64_t>(processes, 1)));
  }
  before = now;
  return rates;
}

std::optional<NetRates> Watch::advance_net(const MappedJob& job, std::uint64_t now_ns) {
  const protocol::Net& net = job.segment().net;
  if (!is_net_held(job)) return std::nullopt;
  const NetSums now{now_ns, net.sent_bytes.load(std::memory_order_relaxed),
                    net.received_bytes.load(std::memory_order_relaxed)};
  NetSums& before = nets_before_[job.name()];
  const double seconds = seconds_between(before.at_ns, now_ns);
  NetRates rates;
  if (seconds > 0) {
    rates.sent_bytes_per_s = rate_of(before.sent_bytes, now.sent_bytes, seconds);
    rates.received_bytes_per_s = rate_of(before.received_bytes, now.received_bytes, seconds);
  }
  before = now;
  return rates;
}

// Counts the processes that run without a limit. It judges them by their programs, and by the bytes that they have moved since the
// previous call.
std::uint64_t Watch::count_uncovered(const MappedJob& job) {
  processes::AccountWatch& accounts = accounts_[job.name()];
  std::uint64_t count = 0;
  for (const pid_t pid : processes_of(job)) {
    const processes::Coverage coverage = processes::coverage_of(pid, processes::kAnyLibrary);
    const bool is_past_us = !accounts.look(job.segment(), pid).empty();
    const bool is_held =
        coverage.obstacle.empty() || processes::is_held_from_outside(job.segment(), pid, coverage);
    if (!is_held || is_past_us) ++count;
  }
  accounts.forget_others();
  return count;
}

JobLook Watch::look_at(const MappedJob& job, std::uint64_t now_ns) {
  const protocol::Segment& segment = job.segment();
  const std::uint32_t own_namespace = protocol::own_pid_namespace(segment);
  const std::uint64_t processes = protocol::count_alive(segment, own_namespace);
  JobLook look{job.number(),
               command_of(segment),
               protocol::load_grant(segment),
               advance(job.name(), sums_of(segment, now_ns), processes),
               processes,
               count_uncovered(job),
               others_of(segment, now_ns),
               {},
               advance_net(job, now_ns)};
  protocol::for_each_member(segment, [&](const protocol::Member& member) {
    const std::uint32_t pid = member.pid.load(std::memory_order_relaxed);
    if (pid == 0) return;
    const bool is_number_ours = member.pid_namespace.load(std::memory_order_relaxed) == own_namespace;
    std::string command =
        is_number_ours ? processes::program_name_of(static_cast<pid_t>(pid)) : "(in a PID namespace)";
    if (command.empty()) return;
    const std::string key = fmt::format("{} pid {}", job.name(), pid);
    look.members.push_back({pid, std::move(command), advance(key, sums_of(member, now_ns), 1)});
  });
  return look;
}

std::optional<DiskLook> Watch::look_at_disk(std::uint64_t number, const OwnTraffic& own,
                                            std::uint64_t now_ns) {
  DiskLook look{number, name_of_disk(number), {}};
  DiskSums now{now_ns, {}, own, 0};
  if (!outputs::read_disk_sample(number, &now.sample)) return std::nullopt;
  DiskSums& before = disks_before_[number];
  if (const double seconds = seconds_between(before.at_ns, now_ns); seconds > 0) {
    const double read = rate_of(before.sample.read_bytes, now.sample.read_bytes, seconds);
    const double own_read = rate_of(before.own.read_bytes, own.read_bytes, seconds);
    look.others.read_bytes_per_s = std::max(0.0, read - own_read);
    const double written = rate_of(before.sample.written_bytes, now.sample.written_bytes, seconds) * seconds;
    const double own_written = rate_of(before.own.written_bytes, own.written_bytes, seconds) * seconds;
    const double awaited =
        before.awaited_bytes * std::max(0.0, 1 - seconds / kWrittenWithinSeconds) + own_written;
    now.awaited_bytes = std::max(0.0, awaited - written);
    look.others.write_bytes_per_s = std::max(0.0, written - awaited) / seconds;
  }
  before = now;
  return look;
}

Look Watch::look() {
  Look look;
  std::map<std::uint64_t, OwnTraffic> disks;
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  const FoundJobs found = find_jobs();
  look.is_complete = found.is_complete;
  for (const MappedJob& job : found.jobs) {
    look.jobs.push_back(look_at(job, now_ns));
    add_disks(job.segment(), disks);
  }
  for (const auto& [number, own] : disks) {
    if (auto disk = look_at_disk(number, own, now_ns)) look.disks.push_back(std::move(*disk));
  }
  std::erase_if(before_, [now_ns](const auto& entry) { return entry.second.at_ns != now_ns; });
  std::erase_if(nets_before_, [now_ns](const auto& entry) { return entry.second.at_ns != now_ns; });
  std::sort(look.jobs.begin(), look.jobs.end(),
            [](const JobLook& a, const JobLook& b) { return a.number < b.number; });
  return look;
}

}  // namespace discnice::cli
