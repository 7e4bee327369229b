// SPDX-License-Identifier: MIT
// subcommands: one entry point for each sub-command. argv[0] is the name of the sub-command (or of the program). The result is the exit status.
#pragma once

namespace discnice::cli {

/// Runs a command as a job and reports on it.
int run_main(int argc, char** argv);

/// Runs a command without a limit and compares what was predicted with what the kernel counted.
int verify_main(int argc, char** argv);

/// Runs the models over a recording.
int replay_main(int argc, char** argv);

/// Lists the jobs that are running now.
int status_main(int argc, char** argv);

/// Changes the limits of a job that runs.
int set_main(int argc, char** argv);

/// Takes processes that run already into a job.
int adopt_main(int argc, char** argv);

/// Lets the processes of an adopted job go.
int release_main(int argc, char** argv);

/// Becomes the program that shows what the jobs do right now; returns only when it cannot.
int top_main(int argc, char** argv);

/// Reads the options of that program, for completion.
int describe_top(int argc, char** argv);

/// Reports on a job that still runs.
int report_main(int argc, char** argv);

/// Names the policies.
int policies_main(int argc, char** argv);

/// Says what works here, what does not, and what would make it work.
int doctor_main(int argc, char** argv);

/// Says how a command would be covered, which measured host parameters are used, and where they come from.
int explain_main(int argc, char** argv);

}  // namespace discnice::cli
