// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/openings.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/job/try_lock.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/transfer/metadata.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;

void after_making(Job& job, OpenFile& file, int fd, int flags, const ThreadAccount& before) {
  {
    const TryLock lock(file.lock, job.epoch);
    if (!lock) return;
    classify(*job.segment, file, fd);
    // With O_EXCL no other process can have created the file, so the flags of the call tell the other details.
    if ((flags & O_EXCL) != 0) set_details(file, flags, true);
  }
  const bool is_charged = file.file_class.load(std::memory_order_relaxed) == FileClass::charged;
  if (is_charged) charge_creation(job, {file.id, *file.device, false, before});
}

void after_emptying(OpenFile& file, const Opening& opening) {
  after_removal({true, opening.file}, 0);
  file.emptied.store(opening.size_bytes == 0 ? Emptied::of_nothing : Emptied::of_data,
                     std::memory_order_relaxed);
}

// In a warm process, another file that is only read need not be looked at.
void offer_trust(Job& job, OpenFile& file, int flags) {
  if (trust.openings_left() == 0 || has_debt(job) || !is_only_read(flags)) return;
  lose_position(file);
  trust.give_unseen(file, trust.term());
}

bool is_flushed(FlushOfEmptied habit, Emptied emptied) {
  if (emptied == Emptied::not_at_all || habit == FlushOfEmptied::never) return false;
  return habit == FlushOfEmptied::always || emptied == Emptied::of_data;
}

}  // namespace

Opening before_opening(int folder, const char* path, int flags) {
  Opening opening;
  if (leaves_as_it_is(flags) || (flags & O_TMPFILE) == O_TMPFILE || job() == nullptr) return opening;
  opening.makes_file = (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0;
  opening.account_before = account_if_measured(job());
  if (opening.makes_file) return opening;
  struct stat status {};
  const int follow = (flags & O_NOFOLLOW) != 0 ? AT_SYMLINK_NOFOLLOW : 0;
  const long result = raw_syscall(SYS_newfstatat, folder, word(path), word(&status), follow);
  opening.makes_file = result == -ENOENT;
  if (is_raw_error(result)) return opening;
  opening.is_file = S_ISREG(status.st_mode);
  opening.file = {status.st_dev, status.st_ino};
  opening.size_bytes = static_cast<std::uint64_t>(status.st_size);
  return opening;
}

int opened_as_it_is(int fd, int flags) {
  if (fd < 0) return fd;
  OpenFile* file = renew_opened_file(fd, false);
  if ((flags & O_DIRECTORY) != 0) note_folder(fd);
  Job* here = job();
  if (here == nullptr || file == nullptr) return fd;
  note_opened(*file, flags);
  offer_trust(*here, *file, flags);
  return fd;
}

int opened(int fd, int flags, const Opening& opening) {
  if (leaves_as_it_is(flags)) return opened_as_it_is(fd, flags);
  if (fd < 0) return fd;
  OpenFile* file = renew_opened_file(fd, opening.makes_file || (flags & O_TRUNC) != 0);
  Job* here = job();
  if (here == nullptr || file == nullptr) return fd;
  note_opened(*file, flags);
  if (opening.makes_file) after_making(*here, *file, fd, flags, opening.account_before);
  if (opening.is_file && (flags & O_TRUNC) != 0) after_emptying(*file, opening);
  return fd;
}

void flush_before_close(int fd) {
  const OpenFile* file = known_open_file(fd);
  if (file == nullptr || file->emptied.load(std::memory_order_relaxed) == Emptied::not_at_all) return;
  if (file->file_class.load(std::memory_order_acquire) != FileClass::charged) return;
  if (is_flushed(file->device->flush_of_emptied, file->emptied.load(std::memory_order_relaxed)))
    after_sync(fd);
}

}  // namespace discnice::guest
