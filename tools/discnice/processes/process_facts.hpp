// SPDX-License-Identifier: MIT
// process_facts: what the kernel says about a process. Statements of the process about itself, in a name or in shared memory, are checked against this.
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

/// The process that has this number here. Empty if there is none, if it has ended and was not waited for yet, or if /proc does not tell.
std::optional<ProcessFacts> facts_of(std::uint64_t pid);

/// The same from the content of /proc/PID/stat and /proc/PID/status. Pure.
std::optional<ProcessFacts> read_facts(const std::string& stat, const std::string& status, long ticks_per_s);

/// The page faults of a process. Whether a fault waited for the disk is not always told: if the page is already on its way, the kernel says that the fault did not wait.
struct PageFaults {
  std::uint64_t own = 0;
  std::uint64_t of_ended_children = 0;  // that it has waited for: changes with each of them
};

/// How many page faults a process has had. Empty if /proc does not tell.
std::optional<PageFaults> page_faults_of(std::uint64_t pid);

/// The same from the content of /proc/PID/stat. Pure.
std::optional<PageFaults> read_page_faults(const std::string& stat);

/// Whether a process of the calling user has this number and existed at `at_ns` of CLOCK_MONOTONIC. If the machine has slept since then, a process that started during the sleep
/// may pass as well.
bool is_own_since(std::uint64_t pid, std::uint64_t at_ns);

/// The content of a whole file of /proc; empty if it cannot be read.
std::string read_proc(const std::string& path);

}  // namespace discnice::processes
