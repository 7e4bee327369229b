// SPDX-License-Identifier: MIT
// memory_os: every host primitive that memory admission uses, with its contract. memory_linux.cpp is the real
// one; unit tests link a simulated memory.
//
// The error rule is that of os.hpp: a negative errno in a Result. Nothing here decides anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::os {

/// Reads a small text file, such as those of /proc and of a control group, as a whole into `text`. Returns 0 or a negative errno; `text` is then empty. -EFBIG: the file is
/// larger than any such file.
int read_text(const std::string& path, std::string& text);

/// The unit in which the host allocates memory.
std::uint64_t memory_page_bytes();

/// Reserves address space that can be written to. It has no memory yet, and will get small pages. -ENOMEM: a limit of the process forbids it. The caller gives it back with
/// release_memory(), in parts if it likes; both work in whole pages.
base::Result<unsigned char*> reserve_memory(std::uint64_t bytes);
void release_memory(unsigned char* address, std::uint64_t bytes);

/// Takes the memory behind the addresses away. The addresses stay reserved and read as zero.
void drop_memory(unsigned char* address, std::uint64_t bytes);

/// Makes `count` writes of one byte with this value, to every `stride`-th page from `first_page` on.
struct Touches {
  std::uint64_t first_page;
  std::uint64_t count;
  std::uint64_t stride;
  unsigned char value;
};

/// Tells how long each write took; the clock is read once for each. More than 4 s is told as 4 s.
void touch_pages(unsigned char* base, const Touches& touches, std::uint32_t* times_ns);

/// The same for reads of the first `count` pages.
void look_at_pages(unsigned char* base, std::uint64_t count, std::uint32_t* times_ns);

/// Asks the kernel to write these whole pages to swap and remove them from memory. Returns 0, whatever the kernel does. -EINVAL: the kernel has no such call (before Linux 5.4).
int put_out(unsigned char* address, std::uint64_t bytes);

/// The number of faults of the calling thread that had to wait for a device, since the thread began.
std::uint64_t count_major_faults();

/// How many of `count` pages, `stride` apart, are in swap. -ENOSYS and similar if the host does not tell.
base::Result<std::uint64_t> count_swapped(unsigned char* base, std::uint64_t first_page, std::uint64_t count,
                                          std::uint64_t stride);

/// Asks for huge pages, also in place of existing small pages. The kernel may ignore this.
void prefer_huge_pages(unsigned char* address, std::uint64_t bytes);

/// Makes a child process, which the host would kill first, write to this many bytes. 0: the child lived; -ENOMEM: it was killed; otherwise the reason why it could not be tried.
/// Takes the time of touching the bytes.
int try_in_child(std::uint64_t bytes);

/// A descriptor that poll() reports as urgent (POLLPRI) when the trigger of the file is met (PSI). The caller closes it.
base::Result<int> open_trigger(const std::string& path, const char* trigger);

/// A descriptor that poll() reports as readable when a control group of version 1 reports an event of its file: for memory.pressure_level that level, for memory.usage_in_bytes
/// that the use passed that many bytes, up or down. The caller closes it.
base::Result<int> open_group_event(const std::string& path, const std::string& what);

/// A descriptor that poll() reports as readable when somebody has written to one of these files. Missing files are left out. -ENOENT: all are missing. The caller closes it.
base::Result<int> watch_writes(const std::vector<std::string>& paths);

/// A descriptor that reports an event: it becomes readable, or else urgent.
struct EventSource {
  int fd;
  bool is_readable;
};

/// Sleeps until one of the descriptors becomes ready, or until the time has passed. Returns the index of the first one that is ready, or -1. The events of ready descriptors are
/// cleared, so that they can become ready again.
int wait_for_events(const EventSource* sources, std::size_t count, std::uint64_t timeout_ns);

/// One descriptor that poll() reports as readable while one of these is ready. The caller closes it, and closes these after it.
base::Result<int> join_events(const EventSource* sources, std::size_t count);

std::uint64_t now_ns();
void pause_ns(std::uint64_t time_ns);

void close_event(const EventSource& source);

}  // namespace gray::os
