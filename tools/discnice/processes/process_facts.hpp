// SPDX-License-Identifier: MIT
// process_facts: what the kernel says of a process. What a process says of itself, in a name or in shared memory, is held against this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace discnice::processes {

struct ProcessFacts {
  uid_t user = 0;                   // the effective one
  std::uint64_t started_at_ns = 0;  // CLOCK_BOOTTIME, as exact as the kernel's tick
};

/// What runs under that number here. Nothing when nobody does, when it has ended and nobody has waited for it yet, and where /proc does not tell.
std::optional<ProcessFacts> facts_of(std::uint64_t pid);

/// The same from the content of /proc/PID/stat and /proc/PID/status. Pure.
std::optional<ProcessFacts> read_facts(const std::string& stat, const std::string& status, long ticks_per_s);

/// Page faults of a process. Whether they waited for the disk is not told: of a page that is on its way the kernel says that they did not.
struct PageFaults {
  std::uint64_t own = 0;
  std::uint64_t of_ended_children = 0;  // that it has waited for: changes with each of them
};

/// How many a process has had. Nothing where /proc does not tell.
std::optional<PageFaults> page_faults_of(std::uint64_t pid);

/// The same from the content of /proc/PID/stat. Pure.
std::optional<PageFaults> read_page_faults(const std::string& stat);

/// Whether a process of the calling user's has this number and was there at `at_ns` of CLOCK_MONOTONIC. Where the machine has slept since, one
/// that began during the time slept may pass as well.
bool is_own_since(std::uint64_t pid, std::uint64_t at_ns);

/// A whole file of /proc; empty where it cannot be read.
std::string read_proc(const std::string& path);

}  // namespace discnice::processes
