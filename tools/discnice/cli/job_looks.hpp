// SPDX-License-Identifier: MIT
// job_looks: what the jobs of this user do right now. Each figure is the difference between two samples.
//
// Knowledge assumed: a write is charged to a job when the call is made. It reaches the disk later, as a rule within half a minute.
// Output observed: the counters of the jobs in their segments; the counters of the disks that they use.
// Inference drawn: rates, by the differences of these counters. What a disk moved and the jobs did not move, other users moved. A write of a job that
//   has not reached the disk yet is expected to reach it. The expected amount shrinks with time.
// What breaks it: file systems also write metadata for the jobs' files (i-nodes, the journal). The traffic
//   of others is overstated by these writes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/processes/coverage.hpp"

namespace discnice::cli {

/// The rates of a job, of a process, or of the other users of a disk.
struct Rates {
  double read_bytes_per_s = 0;
  double write_bytes_per_s = 0;
  double waiting_share = 0;  ///< The share of the time spent waiting, 0 to 1: the mean of its processes.
};

/// The bytes that a job moves by TCP to and from other hosts, when the launcher holds the job's network.
struct NetRates {
  double sent_bytes_per_s = 0;
  double received_bytes_per_s = 0;
};

struct ProcessLook {
  std::uint32_t pid;
  std::string command;
  Rates rates;
};

/// Whether others use a disk of the job, as far as the job observes this. Policies that give way observe it.
enum class Others : std::uint8_t { unknown, away, there };

struct JobLook {
  std::uint64_t number;
  std::string command;
  Grant grant;
  Rates rates;
  std::uint64_t processes;  ///< Processes that are covered and alive.
  std::uint64_t uncovered;  ///< Processes that run without a limit.
  Others others;
  std::vector<ProcessLook> members;
  std::optional<NetRates> net = {};  ///< None: the job's network is not held.
};

/// A disk that jobs use, and the bytes that all other users move there.
struct DiskLook {
  std::uint64_t number;  ///< The device number of the disk.
  std::string name;      ///< The name in /sys/block.
  Rates others;
};

struct Look {
  std::vector<JobLook> jobs;
  std::vector<DiskLook> disks;
  bool is_complete = true;  ///< False: /dev/shm held more names than could be examined.
};

/// Samples the jobs repeatedly. The figures describe the time between two samples.
class Watch {
 public:
  /// Samples all jobs. A job, process or disk that was not in the previous sample has figures of 0.
  Look look();

 private:
  struct Sums {
    std::uint64_t at_ns = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;
    std::uint64_t slept_ns = 0;
  };
  struct NetSums {
    std::uint64_t at_ns = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t received_bytes = 0;
  };
  struct DiskSums {
    std::uint64_t at_ns = 0;
    DiskSample sample;
    OwnTraffic own;
    double awaited_bytes = 0;  // written by jobs, and expected at the disk
  };

  JobLook look_at(const MappedJob& job, std::uint64_t now_ns);
  std::optional<DiskLook> look_at_disk(std::uint64_t number, const OwnTraffic& own, std::uint64_t now_ns);
  std::uint64_t count_uncovered(const MappedJob& job);
  std::optional<NetRates> advance_net(const MappedJob& job, std::uint64_t now_ns);
  Rates advance(const std::string& key, const Sums& now, std::uint64_t processes);
  static Sums sums_of(const protocol::Segment& segment, std::uint64_t now_ns);
  static Sums sums_of(const protocol::Member& member, std::uint64_t now_ns);

  std::map<std::string, Sums> before_;
  std::map<std::string, NetSums> nets_before_;
  std::map<std::uint64_t, DiskSums> disks_before_;
  std::map<std::string, processes::AccountWatch> accounts_;
};

}  // namespace discnice::cli
