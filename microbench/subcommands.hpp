// SPDX-License-Identifier: MIT
// subcommands: each is one file. Given the arguments from the sub-command's own name on; they return the status to end with.
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
