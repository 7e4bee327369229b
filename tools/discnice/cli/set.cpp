// SPDX-License-Identifier: MIT
// set: `discnice set JOB OPTIONS`: changes the limits of a running job, or pauses it.

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/cli/limit_options.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

constexpr char kFooter[] =
    "JOB is the number that 'discnice status' shows, the pid of any process of the job, or its command if "
    "only\n"
    "one job runs that. A changed job forgets what it owed, so the change is felt at once. 'none' takes a "
    "limit\n"
    "away, and --net off that of the network.\n"
    "\n"
    "Examples:\n"
    "  discnice set 4711 --rate 20M\n"
    "  discnice set rsync --policy idle\n"
    "  discnice set rsync --net 500K\n"
    "  discnice set rsync --pause\n";

}  // namespace

int set_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Changes the limits of a job that runs.", "discnice set"};
  app.footer(kFooter);
  std::string name;
  LimitTexts texts;
  bool does_pause = false;
  bool does_resume = false;
  app.add_option("JOB", name, "which job").required();
  add_limit_options(app, texts);
  gray::cli::Option pause = app.add_flag("--pause", does_pause, "hold every operation that needs the disk");
  app.add_flag("--resume", does_resume, "go on").excludes(pause);
  app.group("Hold it, and let it go on", {"--pause", "--resume"});
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  if (!is_any_given(texts) && !does_pause && !does_resume)
    return gray::cli::fail_usage("nothing to set: write, for example, discnice set {} --rate 5M", name);
  std::string problem;
  auto job = find_job(name, &problem);
  if (!job) return gray::cli::fail(gray::cli::kExitSomeFailed, "{}", problem);
  Grant grant = protocol::load_grant(job->segment());
  problem = apply_limits(texts, grant);
  if (problem.empty()) problem = find_useless(texts, {grant});
  if (problem.empty() && (grant.flags & kHeldByGroup) != 0) problem = judge_for_group(texts, {grant});
  if (!problem.empty()) return gray::cli::fail_usage("{}", problem);
  if (!texts.net.empty() && !is_net_held(*job))
    return gray::cli::fail(gray::cli::kExitSomeFailed,
                           "the network of job {} is not held, which --net has to ask for at its start",
                           job->number());
  if (does_pause) grant.flags |= kPaused;
  if (does_resume) grant.flags &= ~kPaused;
  protocol::change_grant(job->segment(), grant);
  return gray::cli::close_stdout(0);
}

}  // namespace discnice::cli
