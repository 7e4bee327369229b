// SPDX-License-Identifier: MIT
// simulated_memory: a host with known memory, for tests of memory admission: libgray/src/os/memory_os.hpp implemented with a count
// of page frames and texts in memory.
//
// A competitor holds some of the frames. A first touch takes a free frame. When no frame is free, the least recently
// touched page goes to swap, slowly, and touching it again is a major fault. Without swap
// this is a death, which is counted. Times are exact. Some touches are delayed. They simulate preemption, and a
// hypervisor that has to find memory first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gray::os::simulated {

struct Memory {
  std::map<std::string, std::string> texts;     // by path
  std::map<std::string, int> text_errors;       // negative errno, by path
  std::function<void()> before_read;            // called before a read, to renew `texts`
  std::function<void(std::uint64_t)> on_touch;  // called with the number of touches so far

  std::uint64_t frames = 1'000'000;
  std::uint64_t competitor_pages = 0;  // held for the whole test
  bool has_swap = true;
  bool is_pagemap_told = true;
  bool is_put_out_known = true;  // as in a kernel from 5.4 on
  std::uint64_t put_out_ns = 3'000;
  std::uint64_t first_touch_ns = 1'200;
  std::uint64_t resident_touch_ns = 60;
  std::uint64_t reclaim_ns = 250'000;  // time of a first touch that has to page another page out
  std::uint64_t swap_in_ns = 120'000;
  std::set<std::uint64_t> robbed_touches;  // numbers of touches, counted from 0
  std::uint64_t robbed_every = 0;          // each touch of this interval is robbed, too
  std::uint64_t robbed_time_ns = 4'000'000;
  std::uint64_t reserve_bytes_max = std::uint64_t{1} << 46U;

  // Processes and the files they share.
  struct Process {
    bool is_ours = true;
    bool is_stopped = false;
    std::uint64_t anonymous_bytes = std::uint64_t{1} << 60U;
  };
  struct Slot {
    std::uint32_t pid;
    std::uint64_t bytes;
  };
  std::map<std::string, std::vector<unsigned char>> shared_files;
  std::set<std::string> shared_forbidden;  // cannot be opened
  // No process holds the slot of a process that is not listed here.
  std::map<std::uint32_t, Process> processes{{1000, {}}};
  std::map<std::size_t, Slot> slots;    // of the single shared file
  int shared_error = 0;                 // the error of reading and writing the shared file
  std::uint32_t process = 1000;         // the calling process
  std::size_t shared_bytes = SIZE_MAX;  // the bytes of a shared file that still exist
  bool is_lock_kept = false;            // a stopped process keeps the lock
  int locks = 0;                        // number of locks that are held now
  std::function<void()> on_wait;
  bool is_watch_possible = false;             // whether a shared file can be watched
  std::vector<std::uint64_t> event_waits_ns;  // how long each wait would have been
  std::vector<std::string> group_events;      // the requested events

  std::uint64_t touches = 0;
  std::uint64_t swap_outs = 0;
  std::uint64_t swapped_now = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t deaths = 0;
  std::uint64_t canaries = 0;  // children that tried in place of this process
  std::uint64_t clock_ns = 1;
  std::uint64_t live_reservations_bytes = 0;
  std::list<std::uint64_t> order;  // resident pages by address; the least recently touched page is first
  std::map<std::uint64_t, std::list<std::uint64_t>::iterator> resident;
  std::set<std::uint64_t> swapped;
  std::set<std::uint64_t> written;  // pages with any value but zero
};

Memory& memory();
void reset_memory();

}  // namespace gray::os::simulated
