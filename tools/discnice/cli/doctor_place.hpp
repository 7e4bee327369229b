// SPDX-License-Identifier: MIT
// doctor_place: tells which parts of discnice work for the files in a folder.
#pragma once

#include <string>
#include <vector>

#include "toolbox/repo/repository.hpp"
#include "tools/discnice/cli/doctor_check.hpp"
#include "tools/discnice/cli/place_facts.hpp"

namespace discnice::cli {

/// One or several folders on one file system. This user may write to all of them, or to none of them.
struct Site {
  std::string name;    // the paths as the person wrote them
  std::string folder;  // the first of the folders
  PlaceFacts facts;
  bool is_writable = false;
};

/// Returns the sites of all paths that exist. For a file, the site is the file's folder. Adds one line to `missing` for each path that cannot
/// be examined.
std::vector<Site> find_sites(const std::vector<std::string>& paths, std::vector<std::string>& missing);

Place check_place(const Site& site, const gray::repo::Repository& repository);

}  // namespace discnice::cli
