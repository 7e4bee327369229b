// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/prediction.hpp"

#include "toolbox/base/clock.hpp"
#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/job/dirty_table.hpp"
#include "tools/discnice/job/try_lock.hpp"
#include "tools/discnice/kernel/residency.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/predictor/cache_model.hpp"
#include "tools/discnice/predictor/predictor.hpp"
#include "tools/discnice/predictor/spliced_read.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/transfer/own_cache.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {
namespace {

using gray::base::monotonic_coarse_ns;
using protocol::Counter;

constinit predictor::CacheShape cache_shape;

bool is_known_cached(const OpenFile& file, const Transfer& transfer, std::uint64_t now_ns) {
  const predictor::Belief& belief = file.state.belief;
  return transfer.kind == OpKind::read && !file.is_direct && now_ns < belief.expires_ns &&
         belief.first_page == 0 && belief.end_page * kPageBytes >= file.size_bytes &&
         file.state.readahead.unused_markers == 0 && file.size_bytes > 0;
}

IoEstimate estimate_reading(Job& job, OpenFile& file, const Transfer& transfer, const IoOp& op,
                            const predictor::ResidencyOracle& oracle, std::uint64_t now_ns) {
  if ((job.segment->options.disabled_models & protocol::kWithoutReadahead) != 0)
    return predictor::estimate_read_alone(op, oracle);
  if (transfer.is_copy)
    return predictor::estimate_spliced_read(op, kCallBytesMax, file.state, cache_shape, oracle, now_ns);
  return predictor::estimate_read(op, file.state, cache_shape, oracle, now_ns);
}

IoEstimate estimate_writing(Job& job, OpenFile& file, const IoOp& op,
                            const predictor::ResidencyOracle& oracle, std::uint64_t now_ns) {
  if ((job.segment->options.disabled_models & protocol::kWithoutWrites) != 0)
    return {.write_bytes = op.length_bytes};
  HeldTable table(job);
  if (table) return predictor::estimate_write(op, file.state, table->regions, oracle, now_ns);
  protocol::add(*job.member, Counter::fallbacks, 1);
  return {.write_bytes = op.length_bytes};
}

// True for a write that begins behind the end of the file. No page has to be read first there, so the cache need not be asked.
bool is_behind_end(const IoOp& op) {
  return op.kind == OpKind::write && op.offset_bytes / kPageBytes * kPageBytes >= op.file_size_bytes;
}

IoEstimate estimate(Job& job, OpenFile& file, const Transfer& transfer, const IoOp& op, std::uint64_t now_ns,
                    AnswerLog& log) {
  if (is_behind_end(op)) return estimate_writing(job, file, op, log.listen({}), now_ns);
  const bool is_cache_known = (job.segment->options.disabled_models & protocol::kWithoutCache) == 0;
  const Residency residency(file, transfer.fd, job.segment->options, *job.member);
  const predictor::ResidencyOracle oracle =
      log.listen(is_cache_known ? residency.oracle() : predictor::ResidencyOracle{});
  return op.kind == OpKind::read ? estimate_reading(job, file, transfer, op, oracle, now_ns)
                                 : estimate_writing(job, file, op, oracle, now_ns);
}

bool is_whole_file(const IoOp& op) {
  return op.kind == OpKind::read && op.offset_bytes == 0 && op.file_size_bytes != 0 &&
         op.length_bytes >= op.file_size_bytes;
}

}  // namespace

bool find_offset(const Transfer& transfer, std::uint64_t* offset_bytes) {
  OpenFile& file = *transfer.file;
  if (transfer.kind == OpKind::write && file.is_append) {
    *offset_bytes = file.size_bytes;
    return true;
  }
  if (transfer.offset_bytes >= 0) {
    *offset_bytes = static_cast<std::uint64_t>(transfer.offset_bytes);
    return true;
  }
  return find_position(file, transfer.fd, transfer.length_bytes, offset_bytes);
}

bool predict(Job& job, Transfer& transfer, Charge* charge) {
  OpenFile& file = *transfer.file;
  const TryLock lock(file.lock, job.epoch);
  if (!lock) {
    protocol::add(*job.member, Counter::fallbacks, 1);
    return false;
  }
  learn_details(file, transfer.fd);
  const std::uint64_t now_ns = monotonic_coarse_ns();
  const bool is_size_fresh = file.is_size_fresh;
  file.is_size_fresh = false;
  if (!is_recording(job) && is_known_cached(file, transfer, now_ns)) {
    transfer.is_believed_cached = true;
    return true;
  }
  IoOp op{transfer.kind,      file.id, 0, transfer.length_bytes, file.size_bytes, file.is_direct,
          file.is_synchronous};
  if (!find_offset(transfer, &op.offset_bytes)) return true;
  transfer.is_going_on = op.offset_bytes == file.state.readahead.previous_end_bytes;
  // The size matters when the transfer reaches beyond the known size: the file may have grown, or be another file.
  const bool is_new = op.kind == OpKind::write && file.is_new.load(std::memory_order_relaxed);
  if (op.offset_bytes + op.length_bytes > file.size_bytes) {
    // It is assumed that only this process writes to a new file. So the size is known. Appends are an exception, because they need the exact end of the
    // file.
    const bool is_size_known = is_size_fresh || (is_new && !file.is_append);
    if (!is_size_known && !refresh_size(file, transfer.fd)) return false;
    op.file_size_bytes = file.size_bytes;
    if (op.kind == OpKind::write && file.is_append) op.offset_bytes = file.size_bytes;
  }
  const std::uint64_t end_bytes = op.offset_bytes + op.length_bytes;
  charge->is_overwrite = op.kind == OpKind::write && op.offset_bytes < op.file_size_bytes;
  // The parts of a new file are holes or lie in memory, so no block of it has to be read first.
  if (is_new) op.file_size_bytes = 0;
  if (op.kind == OpKind::write && end_bytes > file.size_bytes)
    note_grown(job, file, op.offset_bytes > file.size_bytes ? op.offset_bytes : file.size_bytes, end_bytes);
  AnswerLog log(job);
  charge->estimate = estimate(job, file, transfer, op, now_ns, log);
  transfer.record_number = log.record(op, file, transfer.fd, transfer.is_copy, charge->estimate, now_ns);
  charge->is_ledger_kept = file.device->is_ledger_kept;
  if (charge->estimate.read_bytes == 0 && is_whole_file(op)) trust.note_free_file(*file.device);
  if (op.kind == OpKind::write && end_bytes > file.size_bytes) file.size_bytes = end_bytes;
  return true;
}

void catch_up(Job& job, const Transfer& transfer, std::uint64_t read_bytes) {
  OpenFile& file = *transfer.file;
  if (file.file_class.load(std::memory_order_acquire) != FileClass::charged)
    return;  // no call has classified the file yet
  const TryLock lock(file.lock, job.epoch);
  if (!lock) return;
  learn_details(file, transfer.fd);
  IoOp op{OpKind::read, file.id, 0, read_bytes, file.size_bytes, file.is_direct};
  if (!find_offset(transfer, &op.offset_bytes)) return;
  if (transfer.offset_bytes < 0) op.offset_bytes -= read_bytes;  // the position has moved on already
  constexpr predictor::ResidencyOracle kNothingResident;
  predictor::estimate_read(op, file.state, cache_shape, kNothingResident, monotonic_coarse_ns());
}

}  // namespace discnice::guest
