// SPDX-License-Identifier: MIT
// place: finds where in the tree of control groups this user may make a group in which the kernel holds disk traffic to a rate, or says why there is no such place.
//
// Knowledge assumed: /proc/self/mountinfo and /proc/self/cgroup tell the trees and our group in each (cgroups(7), Documentation/admin-guide/cgroup-v2.rst). In version 2 a group has the
//   controllers that its parent hands on (cgroup.subtree_control), and only a group without processes of its own hands on any; the root is free of that rule. The kernel counts
//   written data for the group whose memory was made dirty. So the memory controller must be passed on as well. Version 1 throttles by the blkio tree, each group by itself: a
//   limit of a group does not bind the groups below it.
// So the new group is a sibling of discnice's own group in version 2, and a child of it in version 1.
#pragma once

#include <cstdint>
#include <string>

namespace discnice::cgroup {

enum class Version : std::uint8_t { one = 1, two = 2 };

struct Place {
  Version version = Version::two;
  std::string folder;   // in which the group is to be made
  std::string own;      // the folder of the group that we are in
  std::string root;     // of the tree, where it is mounted
  std::string problem;  // why no group can be made; empty when one can
};

/// Looks for a place, and changes nothing.
Place find_place();

/// Makes the groups from the root down pass on the controllers that a group in this place needs. Returns nothing, or a text that says what is wrong.
std::string hand_on_controllers(const Place& place);

/// Whether the file, a list of words, contains this word.
bool has_word(const std::string& file, const std::string& word);

/// The present content of a small file; empty if it cannot be read.
std::string read_text(const std::string& file);

/// Writes the text in one call. Returns 0 or a negative errno.
int write_text(const std::string& file, const std::string& text);

}  // namespace discnice::cgroup
