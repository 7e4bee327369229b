// SPDX-License-Identifier: MIT
// queued_transfers: charges operations that are handed over now and done later.
#pragma once

#include <linux/aio_abi.h>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// Predicts and charges one operation; what it costs is waited for by the next call, or now where the job gives way to others.
void charge_queued(Job& job, Transfer transfer);

/// The same for what is handed to io_submit(). What can't be read is left to the kernel to refuse.
void charge_submitted(Job& job, long count, struct iocb* const* requests);

}  // namespace discnice::guest
