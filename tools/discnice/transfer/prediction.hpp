// SPDX-License-Identifier: MIT
// prediction: what a transfer will cost its disk: the file behind the descriptor, its place in it, and the models' answer.
#pragma once

#include <cstdint>

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// Where the transfer starts; false when the descriptor has no position. Call under the entry's TryLock.
bool find_offset(const Transfer& transfer, std::uint64_t* offset_bytes);

/// Fills in the charge of a transfer; false when the model had to be left alone.
bool predict(Job& job, Transfer& transfer, Charge* charge);

/// A trusted read came from the disk after all: the model is brought to where the kernel is now, as after a miss.
void catch_up(Job& job, const Transfer& transfer, std::uint64_t read_bytes);

}  // namespace discnice::guest
