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

/// Reads a small text file whole, such as those of /proc and of a control group, into `text`. 0 or a negative
/// errno; `text` is empty then. -EFBIG: it is larger than any such file.
int read_text(const std::string& path, std::string& text);

/// The unit in which the host gives memory out.
std::uint64_t memory_page_bytes();

/// Address space that can be written to, without memory behind it yet and in small pages. -ENOMEM: a limit of
/// the process forbids it. The caller gives it back with release_memory(), in parts if it likes; both in
/// whole pages.
base::Result<unsigned char*> reserve_memory(std::uint64_t bytes);
void release_memory(unsigned char* address, std::uint64_t bytes);

/// Takes the memory away from behind the addresses, which stay reserved and read as zero.
void drop_memory(unsigned char* address, std::uint64_t bytes);

/// `count` writes of one byte, of this value, to every `stride`-th page from `first_page` on.
struct Touches {
  std::uint64_t first_page;
  std::uint64_t count;
  std::uint64_t stride;
  unsigned char value;
};

/// Tells how long each took, with one reading of the clock. More than 4 s is told as 4 s.
void touch_pages(unsigned char* base, const Touches& touches, std::uint32_t* times_ns);

/// The same for reads of the first `count` pages.
void look_at_pages(unsigned char* base, std::uint64_t count, std::uint32_t* times_ns);

/// Asks the kernel to write these whole pages to swap and take them away. 0, whatever it made of that; -EINVAL: it
/// cannot be asked (before Linux 5.4).
int put_out(unsigned char* address, std::uint64_t bytes);

/// Faults of the calling thread that had to wait for a device, since it began.
std::uint64_t count_major_faults();

/// How many of `count` pages, a `stride` apart, were written to swap. -ENOSYS and the like where the host does
/// not tell.
base::Result<std::uint64_t> count_swapped(unsigned char* base, std::uint64_t first_page, std::uint64_t count,
                                          std::uint64_t stride);

/// Asks for huge pages, also in place of the small ones that are there. A wish.
void prefer_huge_pages(unsigned char* address, std::uint64_t bytes);

/// Lets a child process that the host kills first write to so many bytes. 0: it lived; -ENOMEM: it was
/// killed; else why it could not be tried. Takes the time of touching them.
int try_in_child(std::uint64_t bytes);

/// A descriptor that poll() finds urgent (POLLPRI) once the file's trigger is met (PSI). The caller closes it.
base::Result<int> open_trigger(const std::string& path, const char* trigger);

/// A descriptor that poll() finds readable once a control group of version 1 tells what is asked of its file: memory.pressure_level
/// that level, memory.usage_in_bytes that so many bytes were passed, up or down. The caller closes it.
base::Result<int> open_group_event(const std::string& path, const std::string& what);

/// A descriptor that poll() finds readable once somebody has written to one of these files. Those that are not there are left out.
/// -ENOENT: none is. The caller closes it.
base::Result<int> watch_writes(const std::vector<std::string>& paths);

/// A descriptor that tells something: it gets ready for reading, or else urgent.
struct EventSource {
  int fd;
  bool is_readable;
};

/// Sleeps till one of so many gets ready, or till the time has passed: the number of the first that did, or -1. What those that are ready
/// have to say is taken from them, so that they get ready anew.
int wait_for_events(const EventSource* sources, std::size_t count, std::uint64_t timeout_ns);

/// One descriptor that poll() finds readable while one of these is ready. The caller closes it, and them after it.
base::Result<int> join_events(const EventSource* sources, std::size_t count);

std::uint64_t now_ns();
void pause_ns(std::uint64_t time_ns);

void close_event(const EventSource& source);

}  // namespace gray::os
