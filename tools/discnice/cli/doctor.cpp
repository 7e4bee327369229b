// SPDX-License-Identifier: MIT
// doctor: `discnice doctor [PATH...]`: tells which parts of discnice work here for this user, which parts do not, and
// how to make them work.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/repo/repository.hpp"
#include "tools/discnice/cli/doctor_host.hpp"
#include "tools/discnice/cli/doctor_place.hpp"
#include "tools/discnice/cli/doctor_text.hpp"
#include "tools/discnice/cli/subcommands.hpp"

namespace discnice::cli {
namespace {

constexpr char kFooter[] =
    "Each line is tried, not looked up: small jobs are run, and what they bring into memory or write goes "
    "again. "
    "It takes some seconds.\n"
    "Exit status: 0 a rate is kept here, 1 it is not or a PATH is not there, 2 usage.\n"
    "\n"
    "Examples:\n"
    "  discnice doctor\n"
    "  discnice doctor /data /mnt/nas --json\n";

// Returns the current folder, and the home folder if it exists.
std::vector<std::string> usual_places() {
  std::vector<std::string> places{"."};
  const char* const home = std::getenv("HOME");
  std::error_code error;
  if (home != nullptr && std::filesystem::is_directory(home, error)) places.emplace_back(home);
  return places;
}

std::string trial_folder(const std::vector<Site>& sites) {
  for (const Site& site : sites)
    if (site.is_writable && !site.facts.is_in_memory) return site.folder;
  return "";
}

std::string heading() {
  utsname kernel{};
  uname(&kernel);
  const std::string user = geteuid() == 0 ? "root" : fmt::format("user {}", geteuid());
  return fmt::format("discnice on {} {}, as {}", kernel.sysname, kernel.release, user);
}

bool is_coloured() {
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const char* const terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && !is_set("NO_COLOR") && terminal != nullptr &&
         std::string(terminal) != "dumb";
}

}  // namespace

int doctor_main(int argc, char** argv) {
  gray::cli::CommandLine app{
      "Tells what works here, for this user and the files in PATHs (the current and the home folder), what "
      "does not, and what would make it work.",
      "discnice doctor"};
  std::vector<std::string> paths;
  bool is_json = false;
  app.add_option("PATH", paths, "a file or folder on a file system to be tried");
  app.add_flag("--json", is_json, "one JSON object");
  app.footer(kFooter);
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  std::vector<std::string> missing;
  const std::vector<Site> sites = find_sites(paths.empty() ? usual_places() : paths, missing);
  for (const std::string& line : missing) gray::cli::warn("{}", line);
  Diagnosis diagnosis{check_host(trial_folder(sites)), {}};
  const gray::repo::Repository repository(gray::repo::default_places());
  for (const Site& site : sites) diagnosis.places.push_back(check_place(site, repository));
  const std::string text =
      is_json ? doctor_json(diagnosis) : doctor_text(diagnosis, heading(), is_coloured());
  std::fputs(text.c_str(), stdout);
  return gray::cli::close_stdout(is_main_job_done(diagnosis) && missing.empty() ? 0 : 1);
}

}  // namespace discnice::cli
