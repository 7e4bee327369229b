// SPDX-License-Identifier: MIT
// folders: brings the folders inside, which are not copied, from the sibling to the directory that has the name.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/gbp/refresh/place.hpp"
#include "tools/gbp/refresh/records.hpp"

namespace gbp::refresh_parts {

/// Whether this is the link that stands for the entry's folder, under whatever name.
bool is_stand_in(const Workplace& place, const Recorded& entry, int folder_fd, const std::string& name,
                 const struct stat& status);

/// Why a folder is not where, or not called as, somebody wanted.
struct LeftFolder {
  std::string sibling_name;  // where it is kept in the sibling; empty where it is in the directory
  std::string why;           // one sentence
};

class FolderMove {
 public:
  FolderMove(const Workplace& place, const Records& records, int live_fd, int sibling_fd);

  /// Changes places, in one step each, of the folders that are in the sibling with the links that stand for them in the
  /// directory: there is no moment without either. A folder that somebody has renamed on either side, or whose link, has the
  /// new name after that.
  std::vector<LeftFolder> move_all();

 private:
  LeftFolder move_one(const Recorded& entry);
  LeftFolder bring(const Recorded& entry, const std::string& from, const std::string& link);

  // Under which name the folder of an entry, or its link, is found, by the entry's name.
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
