// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/announced_reads.hpp"

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/try_lock.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/kernel/residency.hpp"
#include "tools/discnice/predictor/predictor.hpp"
#include "tools/discnice/transfer/admission.hpp"
#include "tools/discnice/transfer/route.hpp"

namespace discnice::guest {
namespace {

IoEstimate estimate(const Job& job, OpenFile& file, int fd, IoOp op) {
  const TryLock lock(file.lock, job.epoch);
  if (!lock) {
    protocol::add(*job.member, protocol::Counter::fallbacks, 1);
    return {};
  }
  learn_details(file, fd);
  if (!refresh_size(file, fd)) return {};
  op.file_size_bytes = file.size_bytes;
  const Residency residency(file, fd, job.segment->options, *job.member);
  return predictor::estimate_announced_read(op, file.state, residency.oracle());
}

}  // namespace

void before_announced_read(int fd, off64_t offset_bytes, std::uint64_t length_bytes) {
  Job* here = job();
  OpenFile* file = here == nullptr || offset_bytes < 0 ? nullptr : charged_file(*here, fd);
  if (file == nullptr || (here->segment->options.disabled_models & protocol::kWithoutCache) != 0) return;
  const IoOp op{OpKind::read, file->id, static_cast<std::uint64_t>(offset_bytes), length_bytes};
  const Charge charge{.estimate = estimate(*here, *file, fd, op),
                      .is_ledger_kept = file->device->is_ledger_kept,
                      .disk = disk_of(*here, *file->device)};
  if (charge.estimate.read_bytes == 0) return;
  throttle::SignalHold signals;
  admit(*here, charge.estimate, {charge.disk}, true, signals);
  note_charge(*here, charge);
}

}  // namespace discnice::guest
