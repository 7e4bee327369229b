// SPDX-License-Identifier: MIT
// explain: `discnice explain [-- CMD]`: tells by which engine a command would be limited, which measured host parameters are used here, and
// where these parameters come from.
#include <cstdio>

#include <fmt/core.h>

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/cli/explain_command.hpp"
#include "tools/discnice/cli/host_parameters.hpp"
#include "tools/discnice/cli/subcommands.hpp"

namespace discnice::cli {

int explain_main(int argc, char** argv) {
  gray::cli::CommandLine app{
      "Says how CMD would be covered, and which measured host parameters decide for files on this folder's "
      "file "
      "system. Runs nothing.",
      "discnice explain"};
  app.footer("Example:\n  discnice explain -- rsync -a src/ /backup/\n");
  app.prefix_command();
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  std::vector<std::string> command;
  if (const auto status = gray::cli::take_command(app, argc, argv, command)) return *status;
  CommandExplanation explanation;
  if (!command.empty()) explanation = explain_command(command);
  std::fputs(explanation.text.c_str(), stdout);
  const gray::repo::Repository repository = host_repository();
  const ProbeLimit limit = probe_limit(repository);
  const std::string verdict = limit.hit_max_ns != 0
                                  ? "above " +
                                        gray::cli::format_duration_ns(static_cast<double>(limit.hit_max_ns)) +
                                        " was not cached"
                                  : std::string("was not cached when it is much slower than a second one");
  std::fputs(fmt::format("a page whose timed read {}: {}\n", verdict, limit.reason).c_str(), stdout);
  std::fputs((random_read_text(repository) + "\n").c_str(), stdout);
  std::fputs((readahead_text(repository) + "\n").c_str(), stdout);
  return gray::cli::close_stdout(explanation.exit_status);
}

}  // namespace discnice::cli
