// SPDX-License-Identifier: MIT
// disk_board: this process's way to the board of all the user's jobs (protocol/board.hpp). Mapped once, when something is first moved on a disk
// or others are looked for; without it a job knows only its own traffic and looks for itself.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/board.hpp"

namespace discnice::shim {

/// The board; null when there is none, and while another thread is about to map it.
protocol::Board* board();

/// The disk's entry there; null without one, or when the board has lost its content.
protocol::BoardDisk* board_disk(unsigned place, std::uint64_t disk);

}  // namespace discnice::shim
