// SPDX-License-Identifier: MIT
// folders: moves the inner folders, which are not copied, from the sibling to the directory that has the name now.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/gbp/refresh/place.hpp"
#include "tools/gbp/refresh/records.hpp"

namespace gbp::refresh_parts {

/// Whether this is the link that represents the entry's folder. The link may have any name.
bool is_stand_in(const Workplace& place, const Recorded& entry, int folder_fd, const std::string& name,
                 const struct stat& status);

/// A folder that could not be moved to the wanted place or name, and the reason.
struct LeftFolder {
  std::string sibling_name;  // its name if it stays in the sibling; empty if it is in the directory
  std::string why;           // one sentence
};

class FolderMove {
 public:
  FolderMove(const Workplace& place, const Records& records, int live_fd, int sibling_fd);

  /// Exchanges each folder in the sibling with the link that represents it in the directory. Each exchange is one atomic step, so that the name always exists.
  /// If somebody has renamed the folder or its link on either side, the folder then has the new name.
  std::vector<LeftFolder> move_all();

 private:
  LeftFolder move_one(const Recorded& entry);
  LeftFolder bring(const Recorded& entry, const std::string& from, const std::string& link);

  // The present names of folders and links, by the names of their entries.
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
