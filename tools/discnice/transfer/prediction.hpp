// SPDX-License-Identifier: MIT
// prediction: predicts the bytes that the disk will move for a transfer. It finds the file behind the descriptor and the transfer's place in the file, and
// asks the models.
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// Finds where the transfer starts. Returns false when the descriptor has no position. Call under the entry's TryLock.
bool find_offset(const Transfer& transfer, std::uint64_t* offset_bytes);

/// Fills in the charge of a transfer. Returns false when the models could not be asked.
bool predict(Job& job, Transfer& transfer, Charge* charge);

/// Called when a trusted read came from the disk after all. Gives the model this read again, as a read of which nothing was in memory. So the model's
/// state agrees with the kernel's state again.
void catch_up(Job& job, const Transfer& transfer, std::uint64_t read_bytes);

}  // namespace discnice::guest
