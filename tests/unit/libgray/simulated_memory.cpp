// SPDX-License-Identifier: MIT
#include "tests/unit/libgray/simulated_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libgray/src/os/memory_os.hpp"
#include "libgray/src/os/shared_os.hpp"

namespace gray::os {
namespace {

using base::Result;
using simulated::memory;

constexpr std::uint64_t kPage = 4096;

std::uint64_t used_frames() {
  return memory().resident.size() + memory().competitor_pages;
}

void push_one_out() {
  if (!memory().has_swap || memory().order.empty()) {
    ++memory().deaths;
    return;
  }
  const std::uint64_t victim = memory().order.front();
  memory().order.pop_front();
  memory().resident.erase(victim);
  memory().swapped.insert(victim);
  ++memory().swap_outs;
}

void make_resident(std::uint64_t page) {
  memory().resident[page] = memory().order.insert(memory().order.end(), page);
}

std::uint64_t touch(std::uint64_t page) {
  const auto found = memory().resident.find(page);
  if (found != memory().resident.end()) {
    memory().order.splice(memory().order.end(), memory().order, found->second);
    return memory().resident_touch_ns;
  }
  std::uint64_t time_ns = memory().first_touch_ns;
  if (used_frames() >= memory().frames) {
    push_one_out();
    time_ns = memory().reclaim_ns;
  }
  if (memory().swapped.erase(page) != 0) {
    ++memory().major_faults;
    time_ns += memory().swap_in_ns;
  }
  make_resident(page);
  return time_ns;
}

}  // namespace

namespace simulated {

Memory& memory() {
  static Memory the_memory;
  return the_memory;
}

void reset_memory() {
  memory() = Memory{};
}

}  // namespace simulated

int read_text(const std::string& path, std::string& text) {
  text.clear();
  if (memory().before_read) memory().before_read();
  const auto error = memory().text_errors.find(path);
  if (error != memory().text_errors.end()) return error->second;
  const auto found = memory().texts.find(path);
  if (found == memory().texts.end()) return -ENOENT;
  text = found->second;
  return 0;
}

std::uint64_t memory_page_bytes() {
  return kPage;
}

Result<unsigned char*> reserve_memory(std::uint64_t bytes) {
  if (bytes > memory().reserve_bytes_max) return Result<unsigned char*>::failure(-ENOMEM);
  static std::uintptr_t next = std::uintptr_t{1} << 30U;  // addresses that no code reads
  const std::uintptr_t address = next;
  next += bytes + kPage;
  memory().live_reservations_bytes += bytes;
  return reinterpret_cast<unsigned char*>(address);  // NOLINT(performance-no-int-to-ptr)
}

void drop_memory(unsigned char* address, std::uint64_t bytes) {
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(address) / kPage;
  for (std::uint64_t page = first; page < first + bytes / kPage; ++page) {
    const auto found = memory().resident.find(page);
    if (found != memory().resident.end()) {
      memory().order.erase(found->second);
      memory().resident.erase(found);
    }
    memory().swapped.erase(page);
    memory().written.erase(page);
  }
}

void release_memory(unsigned char* address, std::uint64_t bytes) {
  drop_memory(address, bytes);
  memory().live_reservations_bytes -= bytes;
}

void touch_pages(unsigned char* base, const Touches& touches, std::uint32_t* times_ns) {
  const std::uint64_t start = reinterpret_cast<std::uintptr_t>(base) / kPage + touches.first_page;
  for (std::uint64_t i = 0; i < touches.count; ++i) {
    const std::uint64_t page = start + i * touches.stride;
    std::uint64_t time_ns = touch(page);
    if (touches.value != 0) memory().written.insert(page);
    if (touches.value == 0) memory().written.erase(page);
    const std::uint64_t number = memory().touches++;
    if (memory().robbed_touches.count(number) != 0) time_ns += memory().robbed_time_ns;
    if (memory().robbed_every != 0 && number % memory().robbed_every == 0) time_ns += memory().robbed_time_ns;
    memory().clock_ns += time_ns;
    times_ns[i] = static_cast<std::uint32_t>(time_ns);
    if (memory().on_touch) memory().on_touch(number);
  }
}

void look_at_pages(unsigned char* base, std::uint64_t count, std::uint32_t* times_ns) {
  const std::uint64_t start = reinterpret_cast<std::uintptr_t>(base) / kPage;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t time_ns = touch(start + i);
    memory().clock_ns += time_ns;
    times_ns[i] = static_cast<std::uint32_t>(time_ns);
  }
}

int put_out(unsigned char* address, std::uint64_t bytes) {
  if (!memory().is_put_out_known) return -EINVAL;
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(address) / kPage;
  for (std::uint64_t page = first; page < first + bytes / kPage && memory().has_swap; ++page) {
    const auto found = memory().resident.find(page);
    if (found == memory().resident.end()) continue;
    memory().order.erase(found->second);
    memory().resident.erase(found);
    memory().swapped.insert(page);
    memory().clock_ns += memory().put_out_ns;
  }
  return 0;
}

std::uint64_t count_major_faults() {
  return memory().major_faults;
}

Result<std::uint64_t> count_swapped(unsigned char* base, std::uint64_t first_page, std::uint64_t count,
                                    std::uint64_t stride) {
  if (!memory().is_pagemap_told) return Result<std::uint64_t>::failure(-ENOSYS);
  const std::uint64_t start = reinterpret_cast<std::uintptr_t>(base) / kPage + first_page;
  std::uint64_t swapped = 0;
  for (std::uint64_t i = 0; i < count; ++i) swapped += memory().swapped.count(start + i * stride);
  return swapped;
}

void prefer_huge_pages(unsigned char* /*address*/, std::uint64_t /*bytes*/) {}

int try_in_child(std::uint64_t bytes) {
  ++memory().canaries;
  return (bytes / kPage + used_frames() > memory().frames) && !memory().has_swap ? -ENOMEM : 0;
}

Result<int> open_trigger(const std::string& path, const char* /*trigger*/) {
  if (memory().texts.count(path) == 0) return Result<int>::failure(-ENOENT);
  return 1;
}

Result<int> open_group_event(const std::string& path, const std::string& what) {
  if (memory().texts.count(path) == 0) return Result<int>::failure(-ENOENT);
  memory().group_events.push_back(what);
  return 2;
}

Result<int> watch_writes(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (memory().texts.count(path) != 0) return 4;
  }
  return Result<int>::failure(-ENOENT);
}

Result<int> join_events(const EventSource* /*sources*/, std::size_t /*count*/) {
  return 5;
}

int wait_for_events(const EventSource* /*sources*/, std::size_t /*count*/, std::uint64_t timeout_ns) {
  memory().event_waits_ns.push_back(timeout_ns);
  memory().clock_ns += timeout_ns;
  if (memory().on_wait) memory().on_wait();
  return -1;
}

void close_event(const EventSource& /*source*/) {}

std::uint64_t now_ns() {
  return ++memory().clock_ns;
}

void pause_ns(std::uint64_t time_ns) {
  memory().clock_ns += time_ns;
}

Result<SharedMemory> open_shared(const std::string& name, std::size_t bytes) {
  if (memory().shared_forbidden.count(name) != 0) return Result<SharedMemory>::failure(-EPERM);
  auto& file = memory().shared_files[name];
  if (file.size() < bytes) file.resize(bytes);
  return SharedMemory{reinterpret_cast<std::uint32_t*>(file.data()), 1, bytes, 0, 0};
}

void close_shared(const SharedMemory& /*memory*/) {
  memory().shared_error = 0;
}

int load_shared(const SharedMemory& shared, void* to, std::size_t bytes) {
  std::memset(to, 0, bytes);
  if (memory().shared_error != 0) return memory().shared_error;
  std::memcpy(to, shared.address, std::min(bytes, memory().shared_bytes));
  return 0;
}

int store_shared(const SharedMemory& shared, std::size_t place, const void* from, std::size_t bytes) {
  if (memory().shared_error != 0) return memory().shared_error;
  if (place + bytes <= memory().shared_bytes)
    std::memcpy(reinterpret_cast<char*>(shared.address) + place, from, bytes);
  return 0;
}

int hold_slot(const SharedMemory& /*memory*/, std::size_t slot, std::uint64_t bytes) {
  const auto found = memory().slots.find(slot);
  if (found != memory().slots.end() && found->second.pid != memory().process &&
      memory().processes.count(found->second.pid) != 0)
    return -EAGAIN;
  memory().slots[slot] = {memory().process, std::min(bytes, kSlotBytesMax)};
  return 0;
}

void drop_slot(const SharedMemory& /*memory*/, std::size_t slot) {
  memory().slots.erase(slot);
}

SlotHolder slot_holder(const SharedMemory& /*memory*/, std::size_t slot) {
  const auto found = memory().slots.find(slot);
  if (found == memory().slots.end() || found->second.pid == memory().process) return {};
  if (found->second.pid != 0 && memory().processes.count(found->second.pid) == 0) return {};
  return {true, found->second.pid, found->second.bytes};
}

int lock_shared(const SharedMemory& /*memory*/) {
  if (memory().is_lock_kept) return -EAGAIN;
  ++memory().locks;
  return 0;
}

void unlock_shared(const SharedMemory& /*memory*/) {
  --memory().locks;
}

void wait_while(std::uint32_t* word, std::uint32_t seen, std::uint64_t timeout_ns) {
  if (*word == seen) memory().clock_ns += timeout_ns;
  if (memory().on_wait) memory().on_wait();
}

void wake_all(const SharedMemory& /*memory*/, std::uint32_t* /*word*/) {}

Result<int> watch_shared(const SharedMemory& /*memory*/) {
  return memory().is_watch_possible ? Result<int>(3) : Result<int>::failure(-EMFILE);
}

std::uint32_t process_id() {
  return memory().process;
}

Result<ProcessLook> look_at_process(std::uint32_t pid) {
  const auto found = memory().processes.find(pid);
  if (found == memory().processes.end()) return Result<ProcessLook>::failure(-ESRCH);
  const simulated::Memory::Process& process = found->second;
  return ProcessLook{pid, process.is_ours, process.is_stopped, process.anonymous_bytes};
}

TreeMemory memory_of_tree(std::uint32_t /*pid*/) {
  return {};
}

}  // namespace gray::os
