// SPDX-License-Identifier: MIT
// main: the main function of heapnice, which runs a program and keeps its heap to the memory that is there.
#include <cerrno>
#include <cstdio>
#include <memory>

#include "toolbox/cli/child.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/heapnice/driver.hpp"
#include "tools/heapnice/options.hpp"
#include "tools/heapnice/report.hpp"

namespace {

std::unique_ptr<heapnice::Driver> make_driver(const heapnice::Options& options) {
  switch (options.runtime) {
    case heapnice::Runtime::go:
      return heapnice::make_go_driver(options);
    case heapnice::Runtime::node:
      return heapnice::make_node_driver(options);
    case heapnice::Runtime::java:
    case heapnice::Runtime::none:
      break;
  }
  return heapnice::make_java_driver(options);
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::occupy_standard_descriptors();
  gray::cli::set_program_name("heapnice");
  heapnice::Options options;
  if (const auto status = heapnice::read_options(argc, argv, options)) return *status;
  // The report is opened before the command runs. So an unwritable report is noticed at once, and not after hours.
  std::FILE* report = options.json_file.empty() ? nullptr : std::fopen(options.json_file.c_str(), "we");
  if (report == nullptr && !options.json_file.empty())
    return gray::cli::fail(gray::cli::kExitToolFailed, "{}: {}",
                           gray::cli::escape_controls(options.json_file), gray::cli::error_text(errno));
  const auto driver = make_driver(options);
  driver->prepare();
  const auto end =
      gray::cli::run_child(options.command, [&driver](pid_t child) { return driver->look(child); });
  if (report == nullptr || !end.has_run) return end.status;
  const int error =
      heapnice::write_report(report, heapnice::report_text(options.command, driver->account(), end.status));
  if (error == 0) return end.status;
  gray::cli::warn("{}: {}", gray::cli::escape_controls(options.json_file), gray::cli::error_text(error));
  return end.status == 0 ? gray::cli::kExitSomeFailed : end.status;
}
