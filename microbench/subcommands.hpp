// SPDX-License-Identifier: MIT
// subcommands: the main functions of the sub-commands, each in a file of its own. They get the arguments from the sub-command's name on, and return the exit status.
#pragma once

namespace microbench {

int run_main(int argc, char** argv);
int list_main(int argc, char** argv);
int show_main(int argc, char** argv);
int explain_main(int argc, char** argv);
int export_main(int argc, char** argv);
int diff_main(int argc, char** argv);
int forget_main(int argc, char** argv);
int report_main(int argc, char** argv);

}  // namespace microbench
