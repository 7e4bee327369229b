// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/queued_transfers.hpp"

#include <cstdint>

#include "tools/discnice/job/caller_memory.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/transfer/transfer.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {
namespace {

constexpr long kSubmittedMax = 1024;  // requests of one call; the kernel's account settles any further ones

bool gives_way(const Job& job) {
  return policy::policy_by_id(protocol::load_grant(*job.segment).policy_id).hold != nullptr;
}

void charge_request(Job& job, const struct iocb& request) {
  const int fd = static_cast<int>(request.aio_fildes);
  const auto* vector = reinterpret_cast<const iovec*>(request.aio_buf);
  const int vector_count = static_cast<int>(request.aio_nbytes);
  switch (request.aio_lio_opcode) {
    case IOCB_CMD_PREAD:
      return charge_queued(job, {OpKind::read, fd, request.aio_offset, request.aio_nbytes});
    case IOCB_CMD_PWRITE:
      return charge_queued(job, {OpKind::write, fd, request.aio_offset, request.aio_nbytes});
    case IOCB_CMD_PREADV:
      return charge_queued(job, {OpKind::read, fd, request.aio_offset, vector_bytes(vector, vector_count)});
    case IOCB_CMD_PWRITEV:
      return charge_queued(job, {OpKind::write, fd, request.aio_offset, vector_bytes(vector, vector_count)});
    default:
      return;
  }
}

}  // namespace

void charge_queued(Job& job, Transfer transfer) {
  if (transfer.offset_bytes < 0 || !find_file(job, transfer)) return;
  throttle::SignalHold signals;
  transfer.signals = &signals;
  transfer.may_wait = gives_way(job);
  before_transfer(job, transfer);
}

void charge_submitted(Job& job, long count, struct iocb* const* requests) {
  for (long i = 0; i < count && i < kSubmittedMax; ++i) {
    const struct iocb* request = nullptr;
    struct iocb copy {};
    if (!read_caller(requests + i, &request, sizeof(void*)) || request == nullptr ||
        !read_caller(request, &copy, sizeof copy))
      return;
    charge_request(job, copy);
  }
}

}  // namespace discnice::guest
