// SPDX-License-Identifier: MIT
// report: `microbench report --html FILE`: writes all known values of this host to one page.
#include "microbench/page.hpp"
#include "microbench/subcommands.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/html/output.hpp"
#include "toolbox/repo/device_identity.hpp"

namespace microbench {

int report_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Writes one self-contained page with pictures of what is known.",
                             "microbench report"};
  std::string path;
  std::string directory = ".";
  app.add_option("--html", path, "the page to write; - is standard output").type_name("FILE").required();
  app.add_option("--dir", directory, "the file system in question (here)")
      .type_name("PATH")
      .completed_by("DIR");
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  const auto device = gray::repo::device_identity(directory);
  if (!device) {
    return gray::cli::fail(gray::cli::kExitSomeFailed, "'{}': {}", directory,
                           gray::cli::error_text(device.error()));
  }
  const gray::repo::Repository repository(gray::repo::default_places());
  for (const std::string& problem : repository.problems()) gray::cli::warn("{}", problem);
  return gray::cli::close_stdout(
      gray::html::write_page(path, make_page(repository, {device.value(), directory})));
}

}  // namespace microbench
