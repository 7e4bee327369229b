// SPDX-License-Identifier: MIT
// options: the command line of gbp, checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/gbp/cost.hpp"
#include "tools/gbp/emit.hpp"
#include "tools/gbp/order.hpp"

namespace gbp {

struct Options {
  Mode mode = Mode::compose;
  Format format = Format::lines;
  gb_backend_t backend = GB_BACKEND_AUTO;
  bool is_explained = false;  // say on stderr which host parameters decide, and where they come from
  std::vector<std::string> paths;
};

/// Reads the command line, and the lists of names it refers to. Returns nothing, or the exit status after
/// saying what is wrong.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace gbp
