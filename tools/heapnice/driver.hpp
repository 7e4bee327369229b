// SPDX-License-Identifier: MIT
// driver: fits one kind of heap to the advice. It also keeps what is reported about the heap at the end.
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
  std::uint64_t after_ns = 0;  // the start
  int pid = 0;
  gray::memory::FollowVerdict verdict = gray::memory::FollowVerdict::stay;
  gray::memory::FollowReason reason = gray::memory::FollowReason::none;
  std::uint64_t bytes = 0;  // that the heap may have from then on
  std::uint64_t heap_bytes = 0;
  std::uint64_t live_bytes = 0;
  std::int64_t room_bytes = 0;
};

/// The results for the heap.
struct Account {
  std::string runtime;             // "java", as --runtime names it
  std::string environment;         // what CMD was given in its environment, NAME=VALUE
  std::vector<std::string> notes;  // what was said, each a line
  std::vector<Change> changes;
  std::uint64_t changes_dropped = 0;  // beyond as many as are kept
  std::string collector;
  unsigned ordered_collections = 0;
};

class Driver {
 public:
  virtual ~Driver() = default;
  /// To be called before CMD starts: sets in the environment what the start needs, and prints that.
  virtual void prepare() = 0;
  /// To be called while it runs.
  virtual gray::cli::ChildPause look(pid_t child) = 0;
  [[nodiscard]] virtual const Account& account() const = 0;
};

std::unique_ptr<Driver> make_java_driver(const Options& options);
/// These two can only tell a heap its size when it starts.
std::unique_ptr<Driver> make_go_driver(const Options& options);
std::unique_ptr<Driver> make_node_driver(const Options& options);

}  // namespace heapnice
