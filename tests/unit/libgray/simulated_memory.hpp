// SPDX-License-Identifier: MIT
// simulated_memory: a host whose memory is known, for memory admission: libgray/src/os/memory_os.hpp over a count
// of page frames and texts in memory.
//
// Frames are shared with a competitor that holds some. A first touch takes a free frame; when there is none the
// page that was touched longest ago goes to swap, slowly, and touching it again is a major fault; without swap
// it is a death, which is counted. Times are exact; robbed touches stand for preemption and for a hypervisor that
// has to find memory first.
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
  std::function<void()> before_read;            // renews `texts`
  std::function<void(std::uint64_t)> on_touch;  // with the number of touches so far

  std::uint64_t frames = 1'000'000;
  std::uint64_t competitor_pages = 0;  // held for good
  bool has_swap = true;
  bool is_pagemap_told = true;
  bool is_put_out_known = true;  // a kernel from 5.4 on
  std::uint64_t put_out_ns = 3'000;
  std::uint64_t first_touch_ns = 1'200;
  std::uint64_t resident_touch_ns = 60;
  std::uint64_t reclaim_ns = 250'000;  // a first touch that has to push a page out
  std::uint64_t swap_in_ns = 120'000;
  std::set<std::uint64_t> robbed_touches;  // counted from 0
  std::uint64_t robbed_every = 0;          // each so-manieth touch is robbed, too
  std::uint64_t robbed_time_ns = 4'000'000;
  std::uint64_t reserve_bytes_max = std::uint64_t{1} << 46U;

  // Processes and the notes they share.
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
  std::set<std::string> shared_forbidden;                  // cannot be opened
  std::map<std::uint32_t, Process> processes{{1000, {}}};  // a slot of one that is not among them is nobody's
  std::map<std::size_t, Slot> slots;                       // of the one shared file
  int shared_error = 0;                                    // of reading and writing it
  std::uint32_t process = 1000;                            // who calls
  std::size_t shared_bytes = SIZE_MAX;                     // of a file, that are still there
  bool is_lock_kept = false;                               // by somebody who stands still
  int locks = 0;                                           // held now
  std::function<void()> on_wait;
  bool is_watch_possible = false;             // of a shared file
  std::vector<std::uint64_t> event_waits_ns;  // how long each would have been
  std::vector<std::string> group_events;      // asked for

  std::uint64_t touches = 0;
  std::uint64_t swap_outs = 0;
  std::uint64_t swapped_now = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t deaths = 0;
  std::uint64_t canaries = 0;  // children that tried in our stead
  std::uint64_t clock_ns = 1;
  std::uint64_t live_reservations_bytes = 0;
  std::list<std::uint64_t> order;  // resident pages, by address; longest ago first
  std::map<std::uint64_t, std::list<std::uint64_t>::iterator> resident;
  std::set<std::uint64_t> swapped;
  std::set<std::uint64_t> written;  // with anything but zero
};

Memory& memory();
void reset_memory();

}  // namespace gray::os::simulated
