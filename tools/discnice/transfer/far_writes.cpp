// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/far_writes.hpp"

#include <cerrno>

#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/kernel/progress.hpp"
#include "tools/discnice/policy/manners.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;

}  // namespace

bool flush_far_after_write(Job& job, OpenFile& file, int fd, std::uint64_t bytes) {
  if (file.is_direct || file.is_synchronous) return false;
  file.unsent_bytes += bytes;
  if (file.unsent_bytes < policy::kFlushBytesMin) return false;
  const Grant grant = protocol::load_grant(*job.segment);
  protocol::Disk* disk = disk_of(job, *file.device);
  if (grant.smooth_writes == SmoothWrites::off || !is_seen_by_progress(job, disk, grant) ||
      file.unsent_bytes < flush_bytes(job, *disk))
    return false;
  const TellingCall call = begin_call(job, disk, CallKind::flush);
  const long result = raw_syscall(SYS_fdatasync, fd);
  end_call(job, call, file.unsent_bytes);
  file.unsent_bytes = 0;
  if (is_raw_error(result)) file.far_error = static_cast<int>(-result);
  return !is_raw_error(result);
}

int told_of_far_error(int fd) {
  OpenFile* file = known_open_file(fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::charged) return 0;
  if (file->far_error == 0) return 0;
  errno = file->far_error;
  file->far_error = 0;
  return -1;
}

}  // namespace discnice::guest
