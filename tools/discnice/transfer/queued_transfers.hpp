// SPDX-License-Identifier: MIT
// queued_transfers: charges operations that a program hands to the kernel now and that the kernel carries out later.
#pragma once

#include <linux/aio_abi.h>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// Predicts and charges one operation. The next call waits for its cost. When the job gives way to others, this call waits already.
void charge_queued(Job& job, Transfer transfer);

/// Same as charge_queued(), for the requests of io_submit(). Requests that cannot be read are left to the kernel, which refuses
/// them.
void charge_submitted(Job& job, long count, struct iocb* const* requests);

}  // namespace discnice::guest
