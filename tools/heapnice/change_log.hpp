// SPDX-License-Identifier: MIT
// change_log: records the actions of a driver, and prints them where the user wants it.
#pragma once

#include <cstdint>
#include <string>

#include "tools/heapnice/driver.hpp"

namespace heapnice {

class ChangeLog {
 public:
  ChangeLog(const char* runtime, bool is_verbose);

  /// Prints a line on standard error, and records it.
  void note(const std::string& text);
  /// Records a change, and prints it if the option is verbose.
  void change(Change change);
  void set_environment(const std::string& text) { account_.environment = text; }
  void set_collector(const std::string& name) { account_.collector = name; }
  /// Sets the number of ordered collections of the JVM that is followed now.
  void set_ordered_now(unsigned count) { account_.ordered_collections = ordered_before_ + count; }
  /// Adds the number of ordered collections of a JVM that is gone.
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
