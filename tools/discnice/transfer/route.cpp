// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/route.hpp"

#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/job/try_lock.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/predictor/predictor.hpp"
#include "tools/discnice/transfer/engine.hpp"

namespace discnice::guest {
namespace {

// True for a charged file. Asks the kernel when the file is unknown. Returns false when the entry's lock is held by another thread.
bool is_charged(Job& job, OpenFile& file, int fd) {
  FileClass file_class = file.file_class.load(std::memory_order_acquire);
  if (file_class == FileClass::unknown) {
    const TryLock lock(file.lock, job.epoch);
    if (!lock) {
      lose_position(file);  // this call's read or write will not move the known position
      return false;
    }
    classify(*job.segment, file, fd);
    file_class = file.file_class.load(std::memory_order_relaxed);
    trust.note_looked_at(job, file_class == FileClass::charged ? file.device : nullptr);
  }
  return file_class == FileClass::charged;
}

// In a warm process a read needs no prediction. The model does not see such reads, so it forgets the earlier reads.
bool earns_trust(Job& job, const Transfer& transfer) {
  OpenFile& file = *transfer.file;
  if (transfer.length_bytes > kTrustedBytesMax || !trust.is_warm(job, *file.device)) return false;
  settle_if_stale(job);
  const std::uint32_t term = trust.term();
  if (!trust.is_warm(job, *file.device) || has_debt(job)) return false;
  const TryLock lock(file.lock, job.epoch);
  if (!lock) return false;
  learn_details(file, transfer.fd);
  if (file.is_direct) return false;
  file.is_size_fresh = false;
  predictor::forget_reads(file.state);
  lose_position(file);
  trust.give(file, term);
  engine::prepare_quick_calls();
  return trust.covers(file, transfer.length_bytes);
}

}  // namespace

Route route(Job& job, Transfer& transfer) {
  if (transfer.file == nullptr) transfer.file = find_open_file(transfer.fd);
  const bool may_trust = transfer.kind == OpKind::read && !transfer.is_copy;
  if (may_trust && transfer.file != nullptr && trust.covers(*transfer.file, transfer.length_bytes))
    return Route::trusted;
  if (!find_file(job, transfer)) return Route::bypass;
  return may_trust && earns_trust(job, transfer) ? Route::trusted : Route::predicted;
}

bool find_file(Job& job, Transfer& transfer) {
  OpenFile* file = transfer.file != nullptr ? transfer.file : find_open_file(transfer.fd);
  transfer.file = file != nullptr && is_charged(job, *file, transfer.fd) ? file : nullptr;
  return transfer.file != nullptr;
}

OpenFile* charged_file(Job& job, int fd) {
  OpenFile* file = find_open_file(fd);
  return file != nullptr && is_charged(job, *file, fd) ? file : nullptr;
}

}  // namespace discnice::guest
