// SPDX-License-Identifier: MIT
// queued_transfers: charges operations that are queued now and done later.
#pragma once

#include <linux/aio_abi.h>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// Predicts and charges one operation. The next call waits for its cost, or this call does so if the job gives way to others.
void charge_queued(Job& job, Transfer transfer);

/// The same for operations that are passed to io_submit(). Operations that can't be read are left to the kernel, which refuses them.
void charge_submitted(Job& job, long count, struct iocb* const* requests);

}  // namespace discnice::guest
