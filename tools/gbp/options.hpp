// SPDX-License-Identifier: MIT
// options: the command line of gbp, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gbp/cost.hpp"
#include "tools/gbp/emit.hpp"
#include "tools/gbp/order.hpp"
#include "tools/gbp/outlet.hpp"
#include "tools/gbp/refresh/refresh.hpp"
#include "tools/gbp/walk.hpp"

namespace gbp {

/// The action on the files.
enum class Action { print, stream, execute, ranges, unsort, plan, verify, refresh, map };

struct Options {
  Action action = Action::print;
  Mode mode = Mode::compose;
  Format format = Format::lines;
  gb_backend_t backend = GB_BACKEND_AUTO;
  gb_order_t order = GB_ORDER_AUTO;
  bool is_by_directory = false;
  bool is_explained = false;  // say on stderr which host parameters decide, and where they come from
  bool is_recursive = false;
  WalkOptions walk;
  bool has_waves = false;
  std::vector<std::string> command;  // of Action::execute
  std::string streamed;              // of Action::stream
  Whole whole = Whole::automatic;    // of Action::stream
  std::uint64_t record_bytes = 0;    // of Action::stream
  RefreshOptions refresh;            // of Action::refresh
  std::string page_path;             // of Action::map
  Names names;
};

/// Reads the command line, and the lists of names it refers to. Returns nothing, or the exit status after
/// saying what is wrong.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace gbp
