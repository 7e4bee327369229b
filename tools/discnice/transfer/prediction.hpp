// SPDX-License-Identifier: MIT
// prediction: predicts the disk cost of a transfer: it finds the file behind the descriptor and the place in the file, and asks the models.
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// Finds where the transfer starts. False if the descriptor has no position. To be called under the entry's TryLock.
bool find_offset(const Transfer& transfer, std::uint64_t* offset_bytes);

/// Fills in the charge of a transfer. False if the model could not be used.
bool predict(Job& job, Transfer& transfer, Charge* charge);

/// To be called if a trusted read came from the disk after all. Sets the model to the kernel's present state, as after a miss.
void catch_up(Job& job, const Transfer& transfer, std::uint64_t read_bytes);

}  // namespace discnice::guest
