// SPDX-License-Identifier: MIT
//
// Knowledge assumed: a page in the page cache is copied in much less than the time of the fastest disk. A read with RWF_NOWAIT is refused rather than
//   wait for the disk (since Linux 4.14), although it starts the read first (filemap_get_pages() in mm/filemap.c). The kernel charges a disk read to
//   the thread before its call returns.
// Output observed: the kernel's counts. Where there are no counts: refused reads and the thread's account. Where there are no refused reads: the
//   elapsed time. Each timed probe is compared with a second read of the same page, which is certainly resident by then. The code also checks
//   whether the thread slept.
// Inference drawn: hit or miss of the probed page.
// What breaks it: a device nearly as fast as memory, whose reads end before the thread sleeps (this hardly matters, because the kernel's account
// charges such reads); a lock for which a probe must wait. On a file system that charges nothing to the reader, answers by RWF_NOWAIT cannot
//   be checked.
#include "tools/discnice/kernel/residency.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "libgray/src/core/hit_classifier.hpp"
#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/short_text.hpp"
#include "tools/discnice/kernel/cachestat.hpp"
#include "tools/discnice/observe/verification.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::guest {
namespace {

using gray::base::append_number;
using gray::base::append_text;
using gray::base::is_raw_error;
using gray::base::monotonic_ns;
using gray::base::raw_syscall;
using gray::base::word;
using predictor::Answer;

constexpr int kNowaitFlag = 8;                   // RWF_NOWAIT
constexpr std::uint64_t kMincorePagesMax = 512;  // a byte for each page, on the program's stack

long ask_pages(int fd, std::uint64_t first_page, std::uint64_t page_count, CachestatAnswer* answer) {
  return ask_cachestat(fd, first_page * kPageBytes, page_count * kPageBytes, answer);
}

}  // namespace

Residency::Residency(OpenFile& file, int fd, const protocol::JobOptions& options, protocol::Member& member)
    : file_(file), fd_(fd), options_(options), member_(member) {
  oracle_.context = this;
  oracle_.note_fetch = note_fetch;
  choose();
}

Residency::~Residency() {
  if (probe_fd_ >= 0) raw_syscall(SYS_close, probe_fd_);
}

bool Residency::may_use(Backend backend) const {
  const auto asked = static_cast<Backend>(options_.cache_backend);
  return asked == Backend::automatic || asked == backend;
}

void Residency::choose() {
  const CountVerdict verdict = file_.device->count_verdict.load(std::memory_order_relaxed);
  if (may_use(Backend::cachestat) && file_.can_count && verdict != CountVerdict::lies) {
    // The kernel answers the owner of a file, and other users only if they may write the file. A descriptor that was answered once is answered again.
    CachestatAnswer answer{};
    const bool is_answered = file_.has_counted || (verdict == CountVerdict::works && file_.is_own);
    file_.can_count = is_answered || !is_raw_error(ask_pages(fd_, 0, 1, &answer));
    file_.has_counted = file_.can_count;
    if (file_.can_count) {
      oracle_.count_resident = count_resident;
      count_ = &Residency::count_by_cachestat;
      return;
    }
  }
  if (may_use(Backend::mincore) && file_.is_own && !file_.is_block_device) {
    oracle_.count_resident = count_resident;
    count_ = &Residency::count_by_mincore;
    file_.in_flight.keep();
    return;
  }
  if (may_use(Backend::nowait) || may_use(Backend::timed)) oracle_.probe = probe_page;
}

std::uint64_t Residency::count_resident(void* context, std::uint64_t first_page, std::uint64_t page_count) {
  auto& self = *static_cast<Residency*>(context);
  const std::uint64_t end_page = first_page + page_count;
  if (first_page >= self.first_alike_page_ && end_page <= self.end_alike_page_)
    return self.is_alike_resident_ ? page_count : 0;
  const std::uint64_t resident = (self.*self.count_)(first_page, page_count);
  if (resident == 0 || resident == page_count) {
    self.first_alike_page_ = first_page;
    self.end_alike_page_ = end_page;
    self.is_alike_resident_ = resident != 0;
  }
  return resident;
}

void Residency::note_fetch(void* context, std::uint64_t first_page, std::uint64_t page_count) {
  OpenFile& file = static_cast<Residency*>(context)->file_;
  const PageRun run{first_page, first_page + page_count};
  PageRun* last = file.fetched_count == 0 ? nullptr : &file.fetched[file.fetched_count - 1];
  if (last != nullptr && run.first_page >= last->first_page && run.first_page <= last->end_page) {
    if (run.end_page > last->end_page) last->end_page = run.end_page;
  } else if (file.fetched_count < OpenFile::kFetchedMax) {
    file.fetched[file.fetched_count++] = run;
  }
}

std::uint64_t Residency::count_by_cachestat(std::uint64_t first_page, std::uint64_t page_count) {
  CachestatAnswer answer{};
  if (!is_raw_error(ask_pages(fd_, first_page, page_count, &answer))) return answer.cached;
  file_.can_count = file_.has_counted =
      false;  // for example, root of a user namespace is refused for files of users outside
  return 0;
}

std::uint64_t Residency::count_by_mincore(std::uint64_t first_page, std::uint64_t page_count) {
  std::uint64_t resident = 0;
  const std::uint64_t now_ns = monotonic_ns();
  unsigned char pages[kMincorePagesMax];
  for (std::uint64_t done = 0; done < page_count;) {
    const std::uint64_t part = page_count - done < kMincorePagesMax ? page_count - done : kMincorePagesMax;
    const auto bytes = static_cast<long>(part * kPageBytes);
    const long address = raw_syscall(SYS_mmap, 0, bytes, PROT_READ, MAP_SHARED, fd_,
                                     static_cast<long>((first_page + done) * kPageBytes));
    if (is_raw_error(address))
      return resident;  // for example opened only for writing: pages that cannot be seen count as absent
    if (!is_raw_error(raw_syscall(SYS_mincore, address, bytes, word(pages)))) {
      for (std::uint64_t i = 0; i < part; ++i)
        if ((pages[i] & 1U) != 0 || file_.in_flight.has(first_page + done + i, now_ns)) ++resident;
    }
    raw_syscall(SYS_munmap, address, bytes);
    done += part;
  }
  return resident;
}

bool Residency::open_probe() {
  if (probe_fd_ >= 0) return true;
  char path[48];
  *append_number(append_text(path, "/proc/self/fd/"), static_cast<unsigned>(fd_)) = '\0';
  probe_fd_ = raw_syscall(SYS_openat, AT_FDCWD, word(path), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
  if (is_raw_error(probe_fd_)) {
    probe_fd_ = -1;
    return false;
  }
  raw_syscall(SYS_fadvise64, probe_fd_, 0, 0, POSIX_FADV_RANDOM);
  return true;
}

Answer Residency::probe_page(void* context, std::uint64_t page) {
  auto& self = *static_cast<Residency*>(context);
  if (!self.open_probe()) return Answer::unknown;
  Answer answer = Answer::unknown;
  if (self.may_use(Backend::nowait) && !self.is_nowait_refused_)
    answer = self.probe_nowait(page * kPageBytes);
  if (answer == Answer::unknown && self.may_use(Backend::timed)) answer = self.probe_timed(page * kPageBytes);
  if (answer == Answer::miss) protocol::add(self.member_, protocol::Counter::probe_bytes, kPageBytes);
  return answer;
}

Answer Residency::probe_nowait(std::uint64_t offset_bytes) {
  char byte = 0;
  const iovec vector{&byte, 1};
  const std::uint64_t booked_bytes = read_thread_account().read_bytes;
  const long result =
      raw_syscall(SYS_preadv2, probe_fd_, word(&vector), 1, static_cast<long>(offset_bytes), 0, kNowaitFlag);
  // A disk may deliver the page before this thread runs again. The read then succeeds although the page was absent. The account tells such a miss from a hit.
  if (result == 1) return read_thread_account().read_bytes == booked_bytes ? Answer::hit : Answer::miss;
  if (result == -EAGAIN) return Answer::miss;
  is_nowait_refused_ = true;
  return Answer::unknown;
}

// A thread that waits for a disk sleeps. A thread that lost its processor, or whose virtual machine lost its processor, is late as well, but it
// did not sleep.
Answer Residency::probe_timed(std::uint64_t offset_bytes) {
  char byte = 0;
  const auto offset = static_cast<long>(offset_bytes);
  const std::int64_t sleeps = read_thread_account().sleeps;
  const std::uint64_t start_ns = monotonic_ns();
  if (raw_syscall(SYS_pread64, probe_fd_, word(&byte), 1, offset) != 1) return Answer::unknown;
  const std::uint64_t middle_ns = monotonic_ns();
  if (sleeps >= 0 && read_thread_account().sleeps == sleeps) return Answer::hit;
  const std::uint64_t probe_ns = middle_ns - start_ns;
  if (const std::uint64_t hit_max_ns = protocol::probe_limit_ns(options_); hit_max_ns != 0) {
    return gray::core::is_miss_by_threshold(probe_ns, hit_max_ns) ? Answer::miss : Answer::hit;
  }
  raw_syscall(SYS_pread64, probe_fd_, word(&byte), 1, offset);
  return gray::core::is_miss(probe_ns, monotonic_ns() - middle_ns) ? Answer::miss : Answer::hit;
}

void test_count(OpenFile& file, int fd, std::uint64_t page_just_read) {
  if (!file.can_count || file.device->count_verdict.load(std::memory_order_relaxed) != CountVerdict::untested)
    return;
  CachestatAnswer answer{};
  if (is_raw_error(ask_pages(fd, page_just_read, 1, &answer))) return;
  const CountVerdict verdict = answer.cached > 0 ? CountVerdict::works : CountVerdict::lies;
  file.device->count_verdict.store(verdict, std::memory_order_relaxed);
}

}  // namespace discnice::guest
