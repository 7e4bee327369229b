// SPDX-License-Identifier: MIT
// subcommands: one entry point for each sub-command. argv[0] is the name of the sub-command (or of the program). The result is the exit status.
#pragma once

namespace discnice::cli {

/// Runs a command as a job and reports on it.
int run_main(int argc, char** argv);

/// Runs a command without a limit and compares the predicted bytes with the kernel's count.
int verify_main(int argc, char** argv);

/// Runs the models over a recording.
int replay_main(int argc, char** argv);

/// Lists the jobs that are running now.
int status_main(int argc, char** argv);

/// Changes the limits of a job that runs.
int set_main(int argc, char** argv);

/// Takes running processes into a job.
int adopt_main(int argc, char** argv);

/// Lets the processes of an adopted job go.
int release_main(int argc, char** argv);

/// Replaces this program by the program that shows the jobs' present activity. Returns only when this fails.
int top_main(int argc, char** argv);

/// Reads the options of discnice-top, for completion.
int describe_top(int argc, char** argv);

/// Reports on a job that still runs.
int report_main(int argc, char** argv);

/// Names the policies.
int policies_main(int argc, char** argv);

/// Tells which parts of discnice work here, which parts do not, and how to make them work.
int doctor_main(int argc, char** argv);

/// Says how a command would be covered, which measured host parameters are used, and where they come from.
int explain_main(int argc, char** argv);

}  // namespace discnice::cli
