// SPDX-License-Identifier: MIT
// live_view: `discnice top` at a terminal: shows the screen once a second, and handles the keys.
#pragma once

namespace discnice::cli {

/// Whether stdin and stdout are a terminal on which a screen can be drawn, by the description of the terminal (terminfo).
bool can_show_live();

/// Shows what the jobs of this user do until 'q', a signal or the end of the terminal. Restores the terminal. Returns the exit status. Must not be
/// called from several threads.
int show_live(bool has_processes);

}  // namespace discnice::cli
