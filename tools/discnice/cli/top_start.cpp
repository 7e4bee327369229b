// SPDX-License-Identifier: MIT
// top_start: `discnice top` is a program of its own, discnice-top. This file finds that program and becomes it.
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/cli/top_options.hpp"

namespace discnice::cli {

int top_main(int /*argc*/, char** argv) {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::filesystem::path places[] = {folder / "discnice-top",  // in a build tree
                                          folder / GRAY_PARTS_FROM_PROGRAM / "discnice-top"};
  for (const auto& place : places) execv(place.c_str(), argv);
  return gray::cli::fail(gray::cli::kExitNotFound, "cannot start {}: {}",
                         places[1].lexically_normal().string(), gray::cli::error_text(errno));
}

int describe_top(int argc, char** argv) {
  TopOptions options;
  return read_top_options(argc, argv, "", options).value_or(0);
}

}  // namespace discnice::cli
