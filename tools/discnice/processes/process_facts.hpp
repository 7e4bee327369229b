// SPDX-License-Identifier: MIT
// process_facts: what the kernel tells about a process. Claims that a process makes about itself, in a name or in shared memory, are
// compared with these facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace discnice::processes {

struct ProcessFacts {
  uid_t user = 0;                   // the effective user
  std::uint64_t started_at_ns = 0;  // CLOCK_BOOTTIME, as exact as the kernel's tick
};

/// The process with that process number. Empty when there is no such process, when it has ended and was not waited for yet, and when /proc does not tell.
std::optional<ProcessFacts> facts_of(std::uint64_t pid);

/// Same as facts_of(), from the content of /proc/PID/stat and /proc/PID/status. Pure.
std::optional<ProcessFacts> read_facts(const std::string& stat, const std::string& status, long ticks_per_s);

/// Page faults of a process. The kernel does not tell whether they waited for the disk: a fault on a page that the disk is already delivering counts as a fault
/// that did not wait.
struct PageFaults {
  std::uint64_t own = 0;
  std::uint64_t of_ended_children = 0;  // of children that it has waited for; changes with each of them
};

/// The page faults of a process so far. Empty when /proc does not tell.
std::optional<PageFaults> page_faults_of(std::uint64_t pid);

/// Same as page_faults_of(), from the content of /proc/PID/stat. Pure.
std::optional<PageFaults> read_page_faults(const std::string& stat);

/// Whether a process of the calling user has this number and existed at `at_ns` of CLOCK_MONOTONIC. When the machine was suspended meanwhile, the answer may
/// also be true for a process that began later, by at most the suspended time.
bool is_own_since(std::uint64_t pid, std::uint64_t at_ns);

/// The whole content of a file of /proc; empty when it cannot be read.
std::string read_proc(const std::string& path);

}  // namespace discnice::processes
