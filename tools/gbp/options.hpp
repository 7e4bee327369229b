// SPDX-License-Identifier: MIT
// options: reads and checks the command line of gbp.
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
  bool is_explained = false;  // print on stderr the host parameters in use, and their sources
  bool is_recursive = false;
  WalkOptions walk;
  bool has_waves = false;
  std::vector<std::string> command;  // for Action::execute
  std::string streamed;              // for Action::stream
  Whole whole = Whole::automatic;    // for Action::stream
  std::uint64_t record_bytes = 0;    // for Action::stream
  RefreshOptions refresh;            // for Action::refresh
  std::string page_path;             // for Action::map
  Names names;
};

/// Reads the command line, and the lists of names that it refers to. Returns nothing, or prints what is wrong and returns the exit status.
std::optional<int> read_options(int argc, char** argv, Options& options);

}  // namespace gbp
