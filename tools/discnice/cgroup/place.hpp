// SPDX-License-Identifier: MIT
// place: finds where in the tree of control groups this user may make a group in which the kernel holds disk traffic to a rate, or why there is no such place.
//
// Knowledge assumed: /proc/self/mountinfo and /proc/self/cgroup tell the trees and this process's group in each (cgroups(7),
//   Documentation/admin-guide/cgroup-v2.rst). In version 2 a group has the controllers that its parent hands on (cgroup.subtree_control), and only a group
//   without processes of its own may hand on a controller. The root may hand on controllers even when it has processes. Write-back is charged to the group
//   whose memory was dirtied, so the memory controller has to be handed on as well. Version 1 throttles by the blkio tree, each group by itself: a limit of a
//   group does not apply to the groups below it. So the new group is a sibling of this process's group in version 2, and a child of it in version 1.
#pragma once

#include <cstdint>
#include <string>

namespace discnice::cgroup {

enum class Version : std::uint8_t { one = 1, two = 2 };

struct Place {
  Version version = Version::two;
  std::string folder;   // the folder in which the group will be made
  std::string own;      // the folder of this process's group
  std::string root;     // the folder where the tree is mounted
  std::string problem;  // why no group can be made; empty when one can
};

/// Finds the place. Changes nothing.
Place find_place();

/// Makes all groups above this place hand on the controllers that a group in this place needs. Returns what is wrong, or nothing.
std::string hand_on_controllers(const Place& place);

/// Whether the file, a list of words, contains this word.
bool has_word(const std::string& file, const std::string& word);

/// The content of a small file; empty when it cannot be read.
std::string read_text(const std::string& file);

/// Writes the text in one call. Returns 0 or a negative errno.
int write_text(const std::string& file, const std::string& text);

}  // namespace discnice::cgroup
