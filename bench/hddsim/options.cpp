// SPDX-License-Identifier: MIT
#include "bench/hddsim/options.hpp"

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"

namespace hddsim {
namespace {

constexpr char kFooter[] =
    "Examples:\n"
    "  hddsim up --profile hdd7200 --size 8G        makes it and prints where it is mounted\n"
    "  hddsim status --json                         seeks, bytes, busy time, queue\n"
    "  hddsim down                                  leaves nothing behind\n";

gray::cli::Command add_up(gray::cli::Command& app, UnitRequest& request) {
  gray::cli::Command up =
      app.add_subcommand("up", "makes an emulated disk with a file system on it; needs root");
  up.add_option("NAME", request.name, "its name, for several at once").type_name("").shows_default();
  up.add_option("--profile", request.profile, "which disk: a name of `hddsim profiles`, or a file's path")
      .type_name("NAME")
      .shows_default();
  gray::cli::add_bytes_option(up, "--size", request.size_bytes, "its size, default 8G");
  up.add_option("--fs", request.file_system, "ext4, xfs, btrfs or none")
      .one_of({"ext4", "xfs", "btrfs", "none"})
      .type_name("TYPE")
      .shows_default();
  up.add_option("--mount", request.mount_folder,
                "an existing folder to mount it at, default one under /run/hddsim")
      .type_name("DIR");
  gray::cli::add_bytes_option(up, "--read-ahead", request.read_ahead_bytes,
                              "the read-ahead window, default 128K");
  up.add_option("--scheduler", request.scheduler, "none, mq-deadline, bfq or kyber, as the kernel has them")
      .type_name("NAME")
      .shows_default();
  up.add_option("--backing", request.backing_folder, "the folder that holds its bytes")
      .type_name("DIR")
      .shows_default();
  up.add_option("--trace", request.trace_path, "write one line a request to FILE").type_name("FILE");
  return up;
}

gray::cli::Command add_serve(gray::cli::Command& app, ServeOptions& options) {
  gray::cli::Command serve =
      app.add_subcommand("serve", "the disk itself, in the foreground: serves DIR/disk; `up` starts it");
  serve.add_option("--profile", options.profile, "which disk").type_name("NAME").shows_default();
  serve.add_option("--backing", options.backing_file, "the file that holds its bytes")
      .type_name("FILE")
      .required();
  serve.add_option("--counters", options.counters_file, "where to keep the counters")
      .type_name("FILE")
      .required();
  serve.add_option("--trace", options.trace_path, "write one line a request to FILE").type_name("FILE");
  serve.add_option("DIR", options.mount_folder, "where to mount").type_name("").required();
  return serve;
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, Options& options) {
  gray::cli::CommandLine app{
      "Emulates a mechanical disk, a memory card or a cloud volume: a FUSE file with a disk's timing, a loop "
      "device over it, a "
      "file system on that.",
      "hddsim"};
  app.at_most_one_subcommand();
  gray::cli::Command up = add_up(app, options.request);
  gray::cli::Command down = app.add_subcommand("down", "takes it away, whatever state it is in; needs root");
  down.add_option("NAME", options.down_name, "its name").type_name("").shows_default();
  down.add_flag("--all", options.is_down_all, "every one there is");
  down.add_flag("--force", options.is_forced, "also when its mount is in use");
  gray::cli::Command status = app.add_subcommand("status", "those there are, and what they have done");
  status.add_flag("--json", options.is_json, "as one JSON array");
  gray::cli::Command serve = add_serve(app, options.serve);
  app.add_subcommand("profiles", "names the disks it knows");
  app.footer(kFooter);
  if (auto end = gray::cli::parse(app, argc, argv)) return end;
  if (!app.has_subcommand()) return gray::cli::fail_usage("no command: up, down, status, profiles or serve");
  if (up.is_given()) options.task = Task::up;
  if (down.is_given()) options.task = Task::down;
  if (status.is_given()) options.task = Task::status;
  if (serve.is_given()) options.task = Task::serve;
  return std::nullopt;
}

}  // namespace hddsim
