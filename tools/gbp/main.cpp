// SPDX-License-Identifier: MIT
// main: of gbp, the gray-box probe: prints files in the order in which they are best read.
#include <sstream>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "tools/gbp/cost.hpp"
#include "tools/gbp/emit.hpp"
#include "tools/gbp/host_parameters.hpp"
#include "tools/gbp/options.hpp"
#include "tools/gbp/order.hpp"

namespace {

// On stderr, line by line: the list on stdout goes to another program.
void explain(const gbp::HostParameters& host) {
  std::istringstream lines(host.explanation);
  for (std::string line; std::getline(lines, line);) gray::cli::write_diagnostic(line);
}

// Names the files that could not be looked at; true when there were any.
bool warn_of_failed(const std::vector<gbp::File>& files) {
  bool has_failed = false;
  for (const gbp::File& file : files) {
    if (file.error == 0) continue;
    gray::cli::warn("'{}': {}", file.path, gb_status_text(file.error));
    has_failed = true;
  }
  return has_failed;
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::set_program_name("gbp");
  gbp::Options options;
  if (const auto status = gbp::read_options(argc, argv, options)) return *status;
  const bool is_json = options.format == gbp::Format::json_lines;
  const gbp::Wanted wanted{is_json || options.mode != gbp::Mode::file,
                           is_json || options.mode != gbp::Mode::mem, options.backend,
                           gbp::read_host_parameters(options.paths.empty() ? "." : options.paths.front())};
  if (options.is_explained) explain(wanted.host);
  std::vector<gbp::File> files = gbp::look_at(options.paths, wanted);
  gbp::sort_files(files, options.mode);
  gbp::emit(files, options.format);
  const bool has_failed = warn_of_failed(files);
  return gray::cli::close_stdout(has_failed ? gray::cli::kExitSomeFailed : gray::cli::kExitSuccess);
}
