// SPDX-License-Identifier: MIT
// memory_os: every system call that memory admission uses, with its contract. memory_linux.cpp is the real implementation; unit tests link a simulated memory.
//
// The error rule is the same as in os.hpp: a negative errno in a Result. These functions make no decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "toolbox/base/result.hpp"

namespace gray::os {

/// Reads a small text file of /proc or of a control group into `text`. Returns 0, or a negative errno with `text` empty. -EFBIG: the file is larger than any such file.
int read_text(const std::string& path, std::string& text);

/// The size of the pages in which the host gives out memory.
std::uint64_t memory_page_bytes();

/// Reserves writable address space, without memory behind it yet and with small pages. -ENOMEM: a limit of the process forbids it. The caller gives the memory back with
/// release_memory(), all at once or in parts. Both functions take whole pages.
base::Result<unsigned char*> reserve_memory(std::uint64_t bytes);
void release_memory(unsigned char* address, std::uint64_t bytes);

/// Frees the memory behind the addresses. The addresses stay reserved and read as zero.
void drop_memory(unsigned char* address, std::uint64_t bytes);

/// `count` writes of one byte `value`, to every `stride`-th page from `first_page` on.
struct Touches {
  std::uint64_t first_page;
  std::uint64_t count;
  std::uint64_t stride;
  unsigned char value;
};

/// Makes the writes, and stores the time of each write, including one reading of the clock. More than 4 s is stored as 4 s.
void touch_pages(unsigned char* base, const Touches& touches, std::uint32_t* times_ns);

/// Same as touch_pages(), but reads the first `count` pages.
void look_at_pages(unsigned char* base, std::uint64_t count, std::uint32_t* times_ns);

/// Asks the kernel to write these whole pages to swap and free them. Returns 0 whether the kernel did so or not; -EINVAL: the kernel does not know the request (before Linux 5.4).
int put_out(unsigned char* address, std::uint64_t bytes);

/// How many faults of the calling thread have waited for a device since the thread began.
std::uint64_t count_major_faults();

/// How many of `count` pages, `stride` apart, are in swap. -ENOSYS and similar if the host does not tell.
base::Result<std::uint64_t> count_swapped(unsigned char* base, std::uint64_t first_page, std::uint64_t count,
                                          std::uint64_t stride);

/// Asks for huge pages, also in place of existing small pages. The kernel may ignore it.
void prefer_huge_pages(unsigned char* address, std::uint64_t bytes);

/// Forks a child process, which the kernel would kill first, and lets it write to `bytes` bytes. Returns 0 if the child survived, -ENOMEM if the child was
/// killed, and another negative errno if the attempt was not possible. Takes as long as touching that memory.
int try_in_child(std::uint64_t bytes);

/// A descriptor for which poll() reports POLLPRI once the file's trigger fires (PSI). The caller closes it.
base::Result<int> open_trigger(const std::string& path, const char* trigger);

/// A descriptor that poll() finds readable once a control group of version 1 reports an event of its file: memory.pressure_level reports that level, memory.usage_in_bytes
/// reports that the use has passed a number of bytes, up or down. The caller closes it.
base::Result<int> open_group_event(const std::string& path, const std::string& what);

/// A descriptor that poll() finds readable once one of these files was written. Files that do not exist are left out. -ENOENT: no file exists. The caller closes it.
base::Result<int> watch_writes(const std::vector<std::string>& paths);

/// A descriptor that reports events. It becomes readable, or else urgent (POLLPRI).
struct EventSource {
  int fd;
  bool is_readable;
};

/// Sleeps until one of the sources is ready, or until the time has passed. Returns the number of the first ready source, or -1. The data of all ready sources is read, so that
/// they can become ready again.
int wait_for_events(const EventSource* sources, std::size_t count, std::uint64_t timeout_ns);

/// One descriptor that poll() finds readable while one of the sources is ready. The caller closes it first, and then the sources.
base::Result<int> join_events(const EventSource* sources, std::size_t count);

std::uint64_t now_ns();
void pause_ns(std::uint64_t time_ns);

void close_event(const EventSource& source);

}  // namespace gray::os
