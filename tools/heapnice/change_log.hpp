// SPDX-License-Identifier: MIT
// change_log: keeps a list of what a driver does, and prints the lines that must be printed.
#pragma once

#include <cstdint>
#include <string>

#include "tools/heapnice/driver.hpp"

namespace heapnice {

class ChangeLog {
 public:
  ChangeLog(const char* runtime, bool is_verbose);

  /// Prints a line on standard error, and keeps it.
  void note(const std::string& text);
  /// Keeps a change. Prints it if every change must be printed.
  void change(Change change);
  void set_environment(const std::string& text) { account_.environment = text; }
  void set_collector(const std::string& name) { account_.collector = name; }
  /// The values of the JVM that is followed now.
  void set_ordered_now(unsigned count) { account_.ordered_collections = ordered_before_ + count; }
  /// The values of JVMs that have ended.
  void add_ordered(unsigned count) { ordered_before_ += count; }

  [[nodiscard]] const Account& account() const { return account_; }

 private:
  Account account_;
  bool is_verbose_;
  std::uint64_t start_ns_;
  unsigned ordered_before_ = 0;
};

const char* name_of(gray::memory::FollowVerdict verdict);
const char* name_of(gray::memory::FollowReason reason);

}  // namespace heapnice
