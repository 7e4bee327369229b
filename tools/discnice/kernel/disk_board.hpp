// SPDX-License-Identifier: MIT
// disk_board: this process's way to the board of all the user's jobs (protocol/board.hpp). Mapped once, when something is first moved on a disk
// or others are looked for; without it, which is counted as a fallback, a job knows only its own traffic and looks for itself.
#pragma once

#include <cstdint>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/protocol/board.hpp"

namespace discnice::guest {

/// The disk's entry on the board; null without one, when there is no board, or when the board has lost its content.
protocol::BoardDisk* board_disk(const Job& job, unsigned place, std::uint64_t disk);

}  // namespace discnice::guest
