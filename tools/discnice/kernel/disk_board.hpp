// SPDX-License-Identifier: MIT
// disk_board: gives this process access to the board of all the user's jobs (protocol/board.hpp). The board is mapped once, when something is first moved on a disk or others are
// first looked for. If that fails, it is counted as a fallback, and the job knows only its own traffic and samples disks itself.
#pragma once

#include <cstdint>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/protocol/board.hpp"

namespace discnice::guest {

/// The entry of the disk on the board. Null if there is no entry or no board, or if the board has lost its content.
protocol::BoardDisk* board_disk(const Job& job, unsigned place, std::uint64_t disk);

}  // namespace discnice::guest
