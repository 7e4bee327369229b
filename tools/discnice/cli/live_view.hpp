// SPDX-License-Identifier: MIT
// live_view: `discnice top` at a terminal: the screen, once a second, and the keys.
#pragma once

namespace discnice::cli {

/// Whether stdin and stdout are a terminal that a screen can be drawn on, by its description (terminfo).
bool can_show_live();

/// Shows what the jobs of this user do until 'q', a signal or the terminal's end. The terminal is as it was afterwards. Returns the status
/// to end with. Not to be called from several threads.
int show_live(bool has_processes);

}  // namespace discnice::cli
