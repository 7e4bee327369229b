// SPDX-License-Identifier: MIT
// report: `microbench report --html FILE`: everything known of this host on one page.
#include <cerrno>
#include <cstdio>
#include <fstream>

#include "microbench/page.hpp"
#include "microbench/subcommands.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/repo/device_identity.hpp"

namespace microbench {
namespace {

// A page is written beside its place and renamed, so that no half of one is left where the disk is full.
int write_page(const std::string& path, const std::string& page) {
  const std::string temporary = path + ".tmp";
  errno = 0;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << page << std::flush;
  const bool is_written = static_cast<bool>(file);
  file.close();
  if (is_written && std::rename(temporary.c_str(), path.c_str()) == 0) return 0;
  const int error = errno != 0 ? errno : EIO;
  std::remove(temporary.c_str());
  return gray::cli::fail(gray::cli::kExitSomeFailed, "cannot write '{}': {}", path,
                         gray::cli::error_text(error));
}

}  // namespace

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
  const std::string page = make_page(repository, device.value());
  if (path == "-") return gray::cli::print_and_close(page);
  if (const int status = write_page(path, page)) return status;
  return gray::cli::close_stdout(0);
}

}  // namespace microbench
