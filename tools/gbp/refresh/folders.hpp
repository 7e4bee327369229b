// SPDX-License-Identifier: MIT
// folders: moves the inner folders, which are not copied, from the sibling to the new directory.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/gbp/refresh/place.hpp"
#include "tools/gbp/refresh/records.hpp"

namespace gbp::refresh_parts {

/// Whether this is the link that stands for the entry's folder, whatever its name.
bool is_stand_in(const Workplace& place, const Recorded& entry, int folder_fd, const std::string& name,
                 const struct stat& status);

/// Why a folder is not at the place, or has not the name, that somebody wanted.
struct LeftFolder {
  std::string sibling_name;  // where it is kept in the sibling; empty where it is in the directory
  std::string why;           // one sentence
};

class FolderMove {
 public:
  FolderMove(const Workplace& place, const Records& records, int live_fd, int sibling_fd);

  /// The folders in the sibling change places with their links in the directory, each in one step, so that at every moment there is either the folder or its link. If somebody
  /// has renamed a folder on either side, or its link, the folder has the new name after that.
  std::vector<LeftFolder> move_all();

 private:
  LeftFolder move_one(const Recorded& entry);
  LeftFolder bring(const Recorded& entry, const std::string& from, const std::string& link);

  // The name under which the folder of an entry, or its link, is found, by the name of the entry.
  struct Found {
    int folder = -1;
    std::unordered_map<std::string, std::string> folders;
    std::unordered_map<std::string, std::string> links;
  };
  void find(Found& found) const;

  const Workplace& place_;
  const Records& records_;
  Found live_;
  Found sibling_;
};

}  // namespace gbp::refresh_parts
