// SPDX-License-Identifier: MIT
// doctor_place: what of discnice works for files in a folder.
#pragma once

#include <string>
#include <vector>

#include "toolbox/repo/repository.hpp"
#include "tools/discnice/cli/doctor_check.hpp"
#include "tools/discnice/cli/place_facts.hpp"

namespace discnice::cli {

/// One or several folders on one file system, all of which this user may write to, or none.
struct Site {
  std::string name;    // as a person asked about it
  std::string folder;  // the first of them
  PlaceFacts facts;
  bool is_writable = false;
};

/// Those of these paths that are there; a file stands for its folder. What is not there is said in `missing`, a line each.
std::vector<Site> find_sites(const std::vector<std::string>& paths, std::vector<std::string>& missing);

Place check_place(const Site& site, const gray::repo::Repository& repository);

}  // namespace discnice::cli
