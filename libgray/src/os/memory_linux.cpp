// SPDX-License-Identifier: MIT
// memory_linux: the system calls of memory admission on Linux.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/clock.hpp"
#include "toolbox/base/fd.hpp"

namespace gray::os {
namespace {

using base::Result;

constexpr std::size_t kTextBytesMax = 4U << 20U;  // enough for mountinfo on a host with many containers
constexpr std::uint64_t kTimeMaxNs = 4'000'000'000;
constexpr std::size_t kSourcesMax = 4;
constexpr int kAdvicePageOut = 21;   // MADV_PAGEOUT, of Linux 5.4
constexpr int kAdviceCollapse = 25;  // MADV_COLLAPSE, of Linux 6.1
constexpr std::uint64_t kPagemapSwapped = std::uint64_t{1} << 62U;

template <typename Touch>
void time_each(std::uint64_t count, std::uint32_t* times_ns, Touch touch) {
  std::uint64_t before_ns = base::monotonic_ns();
  for (std::uint64_t i = 0; i < count; ++i) {
    touch(i);
    const std::uint64_t after_ns = base::monotonic_ns();
    times_ns[i] = static_cast<std::uint32_t>(std::min(after_ns - before_ns, kTimeMaxNs));
    before_ns = after_ns;
  }
}

}  // namespace

int read_text(const std::string& path, std::string& text) {
  text.clear();
  const base::ScopedFd file = base::ScopedFd::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.is_open()) return file.error();
  char part[8192];
  for (;;) {
    const ssize_t length = read(file.get(), part, sizeof part);
    if (length == 0) return 0;
    const bool is_too_long = length > 0 && text.size() + static_cast<std::size_t>(length) > kTextBytesMax;
    if (length < 0 || is_too_long) {
      const int error = is_too_long ? -EFBIG : -errno;
      if (error == -EINTR) continue;
      text.clear();
      return error;
    }
    text.append(part, static_cast<std::size_t>(length));
  }
}

std::uint64_t memory_page_bytes() {
  static const std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

Result<unsigned char*> reserve_memory(std::uint64_t bytes) {
  void* address =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return Result<unsigned char*>::failure(-errno);
  // A huge page takes its whole size at one touch, and the time for clearing it looks like paging.
  madvise(address, bytes, MADV_NOHUGEPAGE);
  return static_cast<unsigned char*>(address);
}

void release_memory(unsigned char* address, std::uint64_t bytes) {
  if (bytes != 0) munmap(address, bytes);
}

void drop_memory(unsigned char* address, std::uint64_t bytes) {
  if (bytes != 0) madvise(address, bytes, MADV_DONTNEED);
}

void touch_pages(unsigned char* base, const Touches& touches, std::uint32_t* times_ns) {
  const std::uint64_t page_bytes = memory_page_bytes();
  time_each(touches.count, times_ns, [&](std::uint64_t i) {
    *static_cast<volatile unsigned char*>(base + (touches.first_page + i * touches.stride) * page_bytes) =
        touches.value;
  });
}

void look_at_pages(unsigned char* base, std::uint64_t count, std::uint32_t* times_ns) {
  const std::uint64_t page_bytes = memory_page_bytes();
  time_each(count, times_ns, [&](std::uint64_t i) {
    (void)*static_cast<const volatile unsigned char*>(base + i * page_bytes);
  });
}

int put_out(unsigned char* address, std::uint64_t bytes) {
  return madvise(address, bytes, kAdvicePageOut) == 0 ? 0 : -errno;
}

std::uint64_t count_major_faults() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_majflt) : 0;
}

Result<std::uint64_t> count_swapped(unsigned char* base, std::uint64_t first_page, std::uint64_t count,
                                    std::uint64_t stride) {
  const base::ScopedFd map = base::ScopedFd::open("/proc/self/pagemap", O_RDONLY);
  if (!map.is_open()) return Result<std::uint64_t>::failure(map.error());
  const std::uint64_t start_page = reinterpret_cast<std::uintptr_t>(base) / memory_page_bytes() + first_page;
  std::uint64_t swapped = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t entry = 0;
    const auto offset = static_cast<off_t>((start_page + i * stride) * sizeof entry);
    const ssize_t length = pread(map.get(), &entry, sizeof entry, offset);
    if (length != sizeof entry) return Result<std::uint64_t>::failure(length < 0 ? -errno : -ENODATA);
    if ((entry & kPagemapSwapped) != 0) ++swapped;
  }
  return swapped;
}

void prefer_huge_pages(unsigned char* address, std::uint64_t bytes) {
  if (madvise(address, bytes, MADV_HUGEPAGE) != 0) return;
  // The advice above is only for pages that come later, but these pages exist already, so they are joined now. An older kernel joins them later by itself.
  madvise(address, bytes, kAdviceCollapse);
}

// Between fork and _exit the child makes only system calls: other threads of the parent may have held locks.
int try_in_child(std::uint64_t bytes) {
  const pid_t child = fork();
  if (child < 0) return -errno;
  if (child == 0) {
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "1000", 4) != 4) _exit(1);
    void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) _exit(1);
    auto* memory = static_cast<volatile unsigned char*>(address);
    for (std::uint64_t i = 0; i < bytes; i += 4096) memory[i] = 1;
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -errno;  // the program reaps all its children, so the result is not known
  }
  if (WIFSIGNALED(status)) return -ENOMEM;
  return WEXITSTATUS(status) == 0 ? 0 : -EPERM;
}

Result<int> open_trigger(const std::string& path, const char* trigger) {
  base::ScopedFd file = base::ScopedFd::open(path.c_str(), O_RDWR | O_NONBLOCK);
  if (!file.is_open()) return Result<int>::failure(file.error());
  const std::size_t bytes = std::strlen(trigger) + 1;  // the kernel also needs the terminating zero
  if (write(file.get(), trigger, bytes) < 0) return Result<int>::failure(-errno);
  return file.release();
}

Result<int> open_group_event(const std::string& path, const std::string& what) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return Result<int>::failure(-ENOENT);
  const std::string control_path = path.substr(0, slash) + "/cgroup.event_control";
  const base::ScopedFd source = base::ScopedFd::open(path.c_str(), O_RDONLY);
  const base::ScopedFd control = base::ScopedFd::open(control_path.c_str(), O_WRONLY);
  base::ScopedFd event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  for (const base::ScopedFd* fd : {&source, &control, static_cast<const base::ScopedFd*>(&event)})
    if (!fd->is_open()) return Result<int>::failure(fd->error());
  const std::string order = std::to_string(event.get()) + " " + std::to_string(source.get()) + " " + what;
  if (write(control.get(), order.c_str(), order.size()) < 0) return Result<int>::failure(-errno);
  return event.release();
}

Result<int> watch_writes(const std::vector<std::string>& paths) {
  base::ScopedFd watch(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!watch.is_open()) return Result<int>::failure(-errno);
  int error = -ENOENT;
  for (const std::string& path : paths)
    if (inotify_add_watch(watch.get(), path.c_str(), IN_MODIFY) >= 0) error = 0;
  if (error != 0) return Result<int>::failure(error);
  return watch.release();
}

Result<int> join_events(const EventSource* sources, std::size_t count) {
  base::ScopedFd joined(epoll_create1(EPOLL_CLOEXEC));
  if (!joined.is_open()) return Result<int>::failure(-errno);
  for (std::size_t i = 0; i < count; ++i) {
    epoll_event event{};
    event.events = sources[i].is_readable ? EPOLLIN : EPOLLPRI;
    event.data.fd = sources[i].fd;
    if (epoll_ctl(joined.get(), EPOLL_CTL_ADD, sources[i].fd, &event) != 0)
      return Result<int>::failure(-errno);
  }
  return joined.release();
}

int wait_for_events(const EventSource* sources, std::size_t count, std::uint64_t timeout_ns) {
  pollfd polled[kSourcesMax] = {};
  count = std::min(count, kSourcesMax);
  for (std::size_t i = 0; i < count; ++i)
    polled[i] = {sources[i].fd, static_cast<short>(sources[i].is_readable ? POLLIN : POLLPRI), 0};
  const timespec time{static_cast<time_t>(timeout_ns / 1'000'000'000U),
                      static_cast<long>(timeout_ns % 1'000'000'000U)};
  if (ppoll(polled, count, &time, nullptr) <= 0) return -1;
  int first = -1;
  for (std::size_t i = count; i-- > 0;) {
    if (polled[i].revents == 0) continue;
    first = static_cast<int>(i);
    char told[4096];
    // All events up to this moment count as one event. An urgent descriptor has no data to read.
    while (sources[i].is_readable && read(sources[i].fd, told, sizeof told) == sizeof told) {
    }
  }
  return first;
}

void close_event(const EventSource& source) {
  close(source.fd);
}

std::uint64_t now_ns() {
  return base::monotonic_ns();
}

void pause_ns(std::uint64_t time_ns) {
  const timespec time{static_cast<time_t>(time_ns / 1'000'000'000U),
                      static_cast<long>(time_ns % 1'000'000'000U)};
  nanosleep(&time, nullptr);
}

}  // namespace gray::os
