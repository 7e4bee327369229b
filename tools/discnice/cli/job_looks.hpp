// SPDX-License-Identifier: MIT
// job_looks: what the jobs of this user do right now: figures of one look, against those of the look before.
//
// Knowledge assumed: a write is booked to a job when it is made, and reaches the disk later, half a minute later at the most as a rule.
// Output observed: the counters of the jobs in their segments; the counters of the disks that they use.
// Inference drawn: rates, by differences. What a disk moved and the jobs did not is others'. A write of a job that has not been seen at the disk yet is
//   waited for, a little less of it each moment.
// What breaks it: what file systems write for the jobs' files beside their data (i-nodes, the journal), which counts as others'.
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

/// What somebody moves.
struct Rates {
  double read_bytes_per_s = 0;
  double write_bytes_per_s = 0;
  double waiting_share = 0;  ///< Of the time, 0 to 1: the mean of its processes.
};

/// What a job moves by TCP to other hosts, where the launcher holds its network.
struct NetRates {
  double sent_bytes_per_s = 0;
  double received_bytes_per_s = 0;
};

struct ProcessLook {
  std::uint32_t pid;
  std::string command;
  Rates rates;
};

/// Whether others use a disk of the job's, as far as it looks: policies that give way do.
enum class Others : std::uint8_t { unknown, away, there };

struct JobLook {
  std::uint64_t number;
  std::string command;
  Grant grant;
  Rates rates;
  std::uint64_t processes;  ///< Covered and alive.
  std::uint64_t uncovered;  ///< That run without a limit.
  Others others;
  std::vector<ProcessLook> members;
  std::optional<NetRates> net = {};  ///< None: its network is not held.
};

/// A disk that jobs use, and what everybody else moves there.
struct DiskLook {
  std::uint64_t number;  ///< Its device number.
  std::string name;      ///< As in /sys/block.
  Rates others;
};

struct Look {
  std::vector<JobLook> jobs;
  std::vector<DiskLook> disks;
  bool is_complete = true;  ///< False: there were more names in /dev/shm than could be looked at.
};

/// Looks again and again: the figures are of what lies between two looks.
class Watch {
 public:
  /// Looks at all jobs. The figures of what was not there at the look before are 0.
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
    double awaited_bytes = 0;  // written by jobs and not seen at the disk yet
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
