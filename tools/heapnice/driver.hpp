// SPDX-License-Identifier: MIT
// driver: keeps one kind of heap to the advised size, and reports on it at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "libgray/src/memory/follow_rule.hpp"
#include "toolbox/cli/child.hpp"
#include "tools/heapnice/options.hpp"

namespace heapnice {

struct Change {
  std::uint64_t after_ns = 0;  // time since the start
  int pid = 0;
  gray::memory::FollowVerdict verdict = gray::memory::FollowVerdict::stay;
  gray::memory::FollowReason reason = gray::memory::FollowReason::none;
  std::uint64_t bytes = 0;  // the size that the heap may have from then on
  std::uint64_t heap_bytes = 0;
  std::uint64_t live_bytes = 0;
  std::int64_t room_bytes = 0;
};

/// The report on the heap.
struct Account {
  std::string runtime;             // "java", as in --runtime
  std::string environment;         // the variable that was added to CMD's environment, NAME=VALUE
  std::vector<std::string> notes;  // the printed lines
  std::vector<Change> changes;
  std::uint64_t changes_dropped = 0;  // how many changes were not recorded, because there were too many
  std::string collector;
  unsigned ordered_collections = 0;
};

class Driver {
 public:
  virtual ~Driver() = default;
  /// Called before CMD starts: sets the variables that its start needs, and prints them.
  virtual void prepare() = 0;
  /// Called repeatedly while CMD runs.
  virtual gray::cli::ChildPause look(pid_t child) = 0;
  [[nodiscard]] virtual const Account& account() const = 0;
};

std::unique_ptr<Driver> make_java_driver(const Options& options);
/// These two can set the size of a heap only when the program starts.
std::unique_ptr<Driver> make_go_driver(const Options& options);
std::unique_ptr<Driver> make_node_driver(const Options& options);

}  // namespace heapnice
