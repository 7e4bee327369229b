// SPDX-License-Identifier: MIT
// queue_hooks: the wrappers of interposed_queues.def: operations that a program hands over now and that are done later.
//
// Knowledge assumed: a caller that queues an operation does not expect to wait for the disk. A caller that comes back to queue another operation, or
//   for results, can be made to wait.
// Output observed: the operation when it is handed over.
// Inference drawn: the cost of the operation. It is charged immediately, and the next call waits for it. So the queue runs at the rate, one
//   operation late. A job that gives way to others has no account that could carry a debt, so there the operation waits before it is
//   queued.
// What breaks it: operations that libc does in another order, or after the file has changed. The kernel's account corrects the sum.
#include "tools/discnice/transfer/queued_transfers.hpp"

#include <ctime>

#include <aio.h>
#include <sys/syscall.h>

#include "tools/discnice/preload/entry/hooks.hpp"
#include "tools/discnice/transfer/settled_call.hpp"

namespace discnice::guest {
namespace {

template <typename Request>
Transfer queued(OpKind kind, const Request& request) {
  return {kind, request.aio_fildes, request.aio_offset, request.aio_nbytes};
}

template <typename Request>
void charge_list(Job& job, Request* const* requests, int count) {
  for (int i = 0; i < count; ++i) {
    const Request* request = requests[i];
    if (request == nullptr) continue;
    if (request->aio_lio_opcode == LIO_READ) charge_queued(job, queued(OpKind::read, *request));
    if (request->aio_lio_opcode == LIO_WRITE) charge_queued(job, queued(OpKind::write, *request));
  }
}

}  // namespace

#define DISCNICE_ENQUEUE(type, name, parameters, arguments, transfer) \
  DISCNICE_EXPORT(type, name, parameters);                            \
  type discnice_hook_##name parameters {                              \
    Job* here = job();                                                \
    const SettledCall settled(here);                                  \
    if (here != nullptr) charge_queued(*here, transfer);              \
    return DISCNICE_REAL_ALWAYS(name) arguments;                      \
  }

#define DISCNICE_ENQUEUE_LIST(type, name, parameters, arguments, mode, requests, count) \
  DISCNICE_EXPORT(type, name, parameters);                                              \
  type discnice_hook_##name parameters {                                                \
    Job* here = job();                                                                  \
    const SettledCall settled(here);                                                    \
    if (here != nullptr && ((mode) == LIO_WAIT || (mode) == LIO_NOWAIT))                \
      charge_list(*here, requests, count);                                              \
    return DISCNICE_REAL_ALWAYS(name) arguments;                                        \
  }

#define DISCNICE_WALK(type, name, parameters, arguments) \
  DISCNICE_EXPORT(type, name, parameters);               \
  type discnice_hook_##name parameters {                 \
    const SettledCall settled(job());                    \
    return DISCNICE_REAL_ALWAYS(name) arguments;         \
  }

#define DISCNICE_DEQUEUE(type, name, parameters, arguments)         \
  DISCNICE_EXPORT(type, name, parameters);                          \
  type discnice_hook_##name parameters {                            \
    const type result = DISCNICE_REAL_ALWAYS(name) arguments;       \
    if (Job* here = job(); here != nullptr) settle_if_stale(*here); \
    return result;                                                  \
  }

#define DISCNICE_SUBMIT(type, name, parameters, arguments, system)                                     \
  DISCNICE_EXPORT(type, name, parameters);                                                             \
  type discnice_hook_##name parameters {                                                               \
    Job* here = job();                                                                                 \
    const SettledCall settled(here);                                                                   \
    if (here != nullptr) charge_submitted(*here, count, requests);                                     \
    return DISCNICE_REAL(name) != nullptr ? real.name arguments : static_cast<type>(raw_words system); \
  }

#include "tools/discnice/preload/entry/interposed_queues.def"
#include "tools/discnice/transfer/transfer_call.hpp"

}  // namespace discnice::guest
