// SPDX-License-Identifier: MIT
// main: the main function of gbp, the gray-box probe. It finds the order in which files are best read, and prints the names, streams a file or runs a command in that order.
#include <iostream>
#include <sstream>

#include <gray/layout.h>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/html/output.hpp"
#include "tools/gbp/batches.hpp"
#include "tools/gbp/cost.hpp"
#include "tools/gbp/emit.hpp"
#include "tools/gbp/forecast.hpp"
#include "tools/gbp/host_parameters.hpp"
#include "tools/gbp/map.hpp"
#include "tools/gbp/options.hpp"
#include "tools/gbp/order.hpp"
#include "tools/gbp/stream.hpp"
#include "tools/gbp/unsort.hpp"
#include "tools/gbp/verify.hpp"

namespace {

using gbp::Action;
using gbp::Mode;

// Prints on stderr, line by line, because the list on stdout goes to another program.
void tell(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) gray::cli::write_diagnostic(line);
}

// Prints the files that could not be examined; true if there were any.
bool warn_of_failed(const gbp::OrderedFiles& files) {
  bool has_failed = false;
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    const gbp::File file = files[rank];
    if (file.error == 0) continue;
    gray::cli::warn("'{}': {}", file.path, gb_status_text(file.error));
    has_failed = true;
  }
  return has_failed;
}

gbp::Wanted wanted_of(const gbp::Options& options) {
  const bool is_all = options.format == gbp::Format::json_lines || options.action == Action::plan ||
                      options.action == Action::map;
  std::string path = options.names.empty() ? "." : options.names[0];
  if (options.action == Action::stream) path = options.streamed;
  gbp::Wanted wanted;
  wanted.is_cache_wanted = is_all || options.mode != Mode::file;
  wanted.is_layout_wanted = is_all || options.mode != Mode::mem;
  wanted.is_extent_told = options.format == gbp::Format::json_lines;
  wanted.backend = options.backend;
  wanted.order = options.order;
  // For an order by layout alone gbp makes no timed probes, so it needs no threshold. libgray times a read itself if it must.
  wanted.host = gbp::Host(path, wanted.is_cache_wanted || options.is_explained);
  return wanted;
}

std::string device_class(const gbp::Options& options, const gbp::Wanted& wanted) {
  gb_order_t order = GB_ORDER_NONE;
  const char* path = options.names.empty() ? "." : options.names[0];
  if (gb_layout_advise(path, wanted.host->random_over_sequential, &order) != 0) return "unknown";
  const std::string basis =
      wanted.host->random_over_sequential > 0 ? " (measured)" : " (by the kernel's word)";
  return (order == GB_ORDER_NONE ? "seeks cost little, or places mean nothing" : "seeks are dear") + basis;
}

std::string order_text(const gbp::Options& options) {
  if (options.mode == Mode::compose) return "gbp -compose";
  return options.mode == Mode::mem ? "gbp -mem" : "gbp -file";
}

void print_plan(const gbp::Options& options, const gbp::Wanted& wanted, const gbp::OrderedFiles& files) {
  const std::vector<gbp::File> given = files.as_given();
  const gbp::ScanRates rates{wanted.host->disk_bytes_per_s, wanted.host->memory_bytes_per_s,
                             gbp::learn_speeds(given, wanted)};
  std::cout << gbp::describe(gbp::forecast(given, files.in_order(), gbp::cache_bytes_max_now(), rates),
                             device_class(options, wanted))
            << gbp::describe(files.levels()) << std::flush;
}

int order_files(const gbp::Options& options, const gbp::Wanted& wanted) {
  const bool are_levels_told =
      options.is_explained || options.action == Action::plan || options.action == Action::map;
  const gbp::OrderedFiles files(options.names, wanted,
                                {options.mode, options.is_by_directory, are_levels_told});
  if (!files.is_found()) return gray::cli::kExitSomeFailed;
  if (options.is_explained) tell(gbp::describe(files.levels()));
  int status = gray::cli::kExitSuccess;
  if (options.action == Action::plan) print_plan(options, wanted, files);
  if (options.action == Action::execute)
    status = gbp::run_batches(options.command, files.in_order(), options.has_waves);
  if (options.action == Action::print) gbp::emit(files, options.format);
  if (options.action == Action::map)
    status = gray::html::write_page(
        options.page_path, gbp::map_page(files.in_order(), files.levels(), order_text(options), wanted));
  const bool has_failed = warn_of_failed(files);
  return status == gray::cli::kExitSuccess && has_failed ? gray::cli::kExitSomeFailed : status;
}

int run(gbp::Options& options) {
  if (options.action == Action::refresh) return gbp::refresh(options.refresh);
  bool has_failed = false;
  if (options.is_recursive) options.names = gbp::walk(options.names, options.walk, has_failed);
  if (options.action == Action::unsort) {
    gbp::unsort(std::cin, options.names, std::cout);
    std::cout.flush();
    return has_failed ? gray::cli::kExitSomeFailed : gray::cli::kExitSuccess;
  }
  const gbp::Wanted wanted = wanted_of(options);
  if (options.is_explained) tell(wanted.host->explanation);
  if (options.action == Action::stream)
    return gbp::stream_file(options.streamed, options.whole, options.record_bytes, wanted);
  int status = 0;
  if (options.action == Action::verify) {
    status = gbp::verify(options.names, wanted);
  } else if (options.action == Action::ranges) {
    const char end = options.format == gbp::Format::nul_ended ? '\0' : '\n';
    status = gbp::print_ranges(options.names, options.format == gbp::Format::json_lines, end, wanted);
  } else {
    status = order_files(options, wanted);
  }
  return status == gray::cli::kExitSuccess && has_failed ? gray::cli::kExitSomeFailed : status;
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::set_program_name("gbp");
  gbp::Options options;
  if (const auto status = gbp::read_options(argc, argv, options)) return *status;
  return gray::cli::close_stdout(run(options));
}
