// SPDX-License-Identifier: MIT
#include "tests/unit/libgray/simulated_os.hpp"

#include <algorithm>
#include <cerrno>

#include "libgray/src/os/os.hpp"

namespace gray::os {
namespace {

using base::Result;

constexpr int kFirstDescriptor = 100;

simulated::File* open_file_of(int fd) {
  const auto open = simulated::host().open_files.find(fd);
  return open == simulated::host().open_files.end() ? nullptr : &simulated::host().files.at(open->second);
}

std::uint64_t current_bytes(const simulated::File& file) {
  return file.size_once_open_bytes.value_or(file.size_bytes);
}

std::uint64_t pages_of(std::uint64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes;
}

std::uint64_t count_resident(const simulated::File& file, std::uint64_t first, std::uint64_t count) {
  return static_cast<std::uint64_t>(std::count_if(file.resident.begin(), file.resident.end(), [=](auto page) {
    return page >= first && page < first + count;
  }));
}

// Reads a page in. Without the advice "random", a miss also reads ahead.
void bring_in(simulated::File& file, std::uint64_t page) {
  const std::uint64_t wanted = file.is_random_expected ? 1 : simulated::host().read_ahead_pages;
  const std::uint64_t end = std::min(page + wanted, pages_of(current_bytes(file)));
  for (; page < end; ++page) {
    if (file.resident.insert(page).second) ++simulated::host().pages_brought_in;
  }
}

FileFacts facts_of(const simulated::File& file) {
  return {file.device, file.inode, file.size_bytes, file.is_regular, 0, file.modified_ns};
}

}  // namespace

namespace simulated {

Host& host() {
  static Host the_host;
  return the_host;
}

void reset() {
  host() = Host{};
}

File& add_file(const std::string& path, std::uint64_t pages, std::uint64_t resident_pages) {
  File& file = host().files[path];
  file = File{};
  file.inode = host().files.size();
  file.size_bytes = pages * kPageBytes;
  for (std::uint64_t page = 0; page < resident_pages; ++page) file.resident.insert(page);
  return file;
}

}  // namespace simulated

Result<FileFacts> look_at(const char* path) {
  const auto found = simulated::host().files.find(path);
  if (found == simulated::host().files.end()) return Result<FileFacts>::failure(-ENOENT);
  const simulated::File& file = found->second;
  return facts_of(file);
}

Result<FileFacts> look_at_open(int fd) {
  const simulated::File* file = open_file_of(fd);
  if (file == nullptr) return Result<FileFacts>::failure(-EBADF);
  return facts_of(*file);
}

bool is_trusted(int fd, const FileFacts& /*facts*/) {
  ++simulated::host().trust_questions;
  const simulated::File* file = open_file_of(fd);
  return file != nullptr && file->is_trusted;
}

Result<bool> read_without_waiting(int fd, std::uint64_t offset_bytes) {
  ++simulated::host().nowait_calls;
  simulated::File* file = open_file_of(fd);
  if (file == nullptr) return Result<bool>::failure(-EBADF);
  if (!simulated::host().has_nowait) return Result<bool>::failure(-EOPNOTSUPP);
  if (offset_bytes >= current_bytes(*file)) return Result<bool>::failure(-ENODATA);
  const std::uint64_t page = offset_bytes / kPageBytes;
  if (file->resident.count(page) != 0) return true;
  if (!file->is_cache_bypassed) bring_in(*file, page);
  return false;
}

Result<MappedWindow> map_around(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes) {
  ++simulated::host().fault_calls;
  simulated::File* file = open_file_of(fd);
  if (file == nullptr) return Result<MappedWindow>::failure(-EBADF);
  if (!simulated::host().has_fault_around || file->is_cache_bypassed)
    return Result<MappedWindow>::failure(-ENODEV);
  if (offset_bytes >= current_bytes(*file)) return Result<MappedWindow>::failure(-EFAULT);
  const std::uint64_t page = offset_bytes / kPageBytes;
  const std::uint64_t first = page / kWindowPages * kWindowPages;
  const std::uint64_t count = std::min(kWindowPages, pages_of(file_bytes) - first);
  const bool has_fetched = file->resident.count(page) == 0;
  std::uint32_t resident = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool is_told = !simulated::host().is_mapping_alone || first + i == page;
    if (is_told && file->resident.count(first + i) != 0) resident |= 1U << i;
  }
  if (has_fetched) {
    file->resident.insert(page);
    ++simulated::host().pages_brought_in;
  }
  return MappedWindow{first, static_cast<std::uint32_t>(count), resident, has_fetched};
}

Result<MappedWindow> map_end(int fd, std::uint64_t file_bytes) {
  ++simulated::host().end_calls;
  const simulated::File* file = open_file_of(fd);
  if (file == nullptr) return Result<MappedWindow>::failure(-EBADF);
  if (!simulated::host().has_fault_around || file->is_cache_bypassed)
    return Result<MappedWindow>::failure(-ENODEV);
  const std::uint64_t count = std::min(kEndPages, pages_of(file_bytes));
  const std::uint64_t first = pages_of(file_bytes) - count;
  std::uint32_t resident = 0;
  for (std::uint64_t i = 0; i < count && !simulated::host().is_mapping_alone; ++i)
    if (file->resident.count(first + i) != 0) resident |= 1U << i;
  return MappedWindow{first, static_cast<std::uint32_t>(count), resident, false};
}

Result<std::uint64_t> file_system_kind(const char* /*path*/) {
  return simulated::host().file_system_kind;
}

Result<bool> is_rotational(std::uint64_t /*device*/) {
  if (!simulated::host().is_rotational) return Result<bool>::failure(-ENOENT);
  return *simulated::host().is_rotational;
}

// Files that outlive the process are tested on the real host.
void* map_kept_file(const char* /*path*/, std::size_t /*bytes*/) {
  return nullptr;
}

void unmap_kept_file(void* /*mapped*/, std::size_t /*bytes*/) {}

std::uint64_t seconds_now() {
  return simulated::host().seconds;
}

Result<int> open_file(const char* path) {
  const auto found = simulated::host().files.find(path);
  if (found == simulated::host().files.end()) return Result<int>::failure(-ENOENT);
  if (found->second.open_error != 0) return Result<int>::failure(found->second.open_error);
  found->second.is_random_expected = false;
  const int fd = kFirstDescriptor + static_cast<int>(simulated::host().opens++);
  simulated::host().open_files[fd] = path;
  return fd;
}

void close_file(int fd) {
  simulated::host().open_files.erase(fd);
}

Result<std::uint64_t> count_by_cachestat(int fd, std::uint64_t first_page, std::uint64_t page_count) {
  ++simulated::host().cachestat_calls;
  const simulated::File* file = open_file_of(fd);
  if (file == nullptr) return Result<std::uint64_t>::failure(-EBADF);
  if (!simulated::host().has_cachestat) return Result<std::uint64_t>::failure(-ENOSYS);
  if (!file->is_trusted) return Result<std::uint64_t>::failure(-EPERM);
  if (simulated::host().overlay_devices.count(file->device) != 0) return std::uint64_t{0};
  return count_resident(*file, first_page, page_count);
}

Result<std::uint64_t> count_by_mincore(int fd, std::uint64_t first_page, std::uint64_t page_count) {
  ++simulated::host().mincore_calls;
  const simulated::File* file = open_file_of(fd);
  if (file == nullptr) return Result<std::uint64_t>::failure(-EBADF);
  if (!simulated::host().has_mincore) return Result<std::uint64_t>::failure(-ENODEV);
  if (!file->is_trusted) return page_count;
  return count_resident(*file, first_page, page_count);
}

void expect_random_reads(int fd) {
  if (simulated::File* file = open_file_of(fd)) file->is_random_expected = true;
}

void expect_reads_in_order(int fd) {
  if (simulated::File* file = open_file_of(fd)) file->is_random_expected = false;
}

// The simulated device takes miss_time_ns to get to a stretch of missing pages, and page_time_ns for each page of the stretch.
Result<TimedStretch> time_stretch(int fd, std::uint64_t offset_bytes, std::uint64_t bytes) {
  simulated::Host& host = simulated::host();
  simulated::File* file = open_file_of(fd);
  if (file == nullptr) return Result<TimedStretch>::failure(-EBADF);
  TimedStretch stretch{0, 0};
  if (offset_bytes >= current_bytes(*file)) return stretch;
  stretch.bytes = std::min(bytes, current_bytes(*file) - offset_bytes);
  const std::uint64_t first = offset_bytes / kPageBytes;
  for (std::uint64_t page = first; page < pages_of(offset_bytes + stretch.bytes); ++page) {
    const bool is_missing = file->resident.insert(page).second;
    if (is_missing) ++host.pages_brought_in;
    if (is_missing && (page == first && file->streamed_to_page != page)) stretch.time_ns += host.miss_time_ns;
    stretch.time_ns += is_missing ? host.page_time_ns : 100;
    file->streamed_to_page = page + 1;
  }
  return stretch;
}

Result<TimedRead> time_one_byte(int fd, std::uint64_t offset_bytes) {
  simulated::Host& host = simulated::host();
  const std::uint64_t robbed_ns = host.robbed_reads.count(host.reads++) != 0 ? host.robbed_time_ns : 0;
  simulated::File* file = open_file_of(fd);
  if (file == nullptr) return Result<TimedRead>::failure(-EBADF);
  if (offset_bytes >= current_bytes(*file)) return Result<TimedRead>::failure(-ENODATA);
  const std::uint64_t page = offset_bytes / kPageBytes;
  if (file->is_cache_bypassed) return TimedRead{host.miss_time_ns + robbed_ns, host.is_sleep_told};
  if (file->resident.count(page) != 0) return TimedRead{host.hit_time_ns + robbed_ns, false};
  bring_in(*file, page);
  return TimedRead{host.miss_time_ns + robbed_ns, host.is_sleep_told};
}

Result<std::uint64_t> first_extent_bytes(int fd) {
  const simulated::File* file = open_file_of(fd);
  if (file == nullptr) return Result<std::uint64_t>::failure(-EBADF);
  if (!file->first_extent_bytes) return Result<std::uint64_t>::failure(-ENOENT);
  return *file->first_extent_bytes;
}

std::uint64_t fresh_seed() {
  static std::uint64_t seed = 0;
  return ++seed;
}

}  // namespace gray::os
