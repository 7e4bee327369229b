// SPDX-License-Identifier: MIT
// disk_board: this process's access to the board that all jobs of the user share (protocol/board.hpp). The board is mapped once, when the job first moves data on a disk or
// looks for other users. Without the board, which is counted as a fallback, a job knows only its own traffic and reads the disk's counters itself.
#pragma once

#include <cstdint>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/protocol/board.hpp"

namespace discnice::guest {

/// The disk's entry on the board. Null when there is no board, when the board has no entry for the disk, and when the board has lost its content.
protocol::BoardDisk* board_disk(const Job& job, unsigned place, std::uint64_t disk);

}  // namespace discnice::guest
