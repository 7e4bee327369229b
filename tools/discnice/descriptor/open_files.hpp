// SPDX-License-Identifier: MIT
// open_files: what is remembered of each descriptor. An entry is only a hint. A missing entry is made from the descriptor itself (fstat). So a descriptor whose
// opening the library did not see works like any other.
//
// The entries of the first descriptors lie in the library's own memory. Most programs use only these. The table of the other descriptors has two levels. Its
// second level is mapped when a descriptor of that range is first used, so neither start-up time nor memory depends on RLIMIT_NOFILE.
#pragma once

#include <atomic>
#include <cstdint>

#include <sys/stat.h>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/brought_pages.hpp"
#include "tools/discnice/descriptor/devices.hpp"
#include "tools/discnice/descriptor/pages_in_flight.hpp"
#include "tools/discnice/predictor/predictor.hpp"

namespace discnice::guest {

enum class FileClass : std::uint8_t {
  unknown,  // not asked yet
  free,     // a socket, a pipe, a terminal or a file in memory: never charged
  charged,  // a regular file or block device on a disk
};

/// The data that opening a file with O_TRUNC removed.
enum class Emptied : std::uint8_t { not_at_all, of_nothing, of_data };

/// A part of a file that was sent to the disk at once.
struct WriteStep {
  std::uint64_t from_bytes;
  std::uint64_t to_bytes;
};

/// Pages that a writer has added to the end of a file. The pages before `news_page` were dropped. None of the pages before `again_page` is cached any more.
/// `looked_page` is the end of the file when a drop was last tried.
struct GrownPages {
  std::uint64_t again_page;
  std::uint64_t news_page;
  std::uint64_t looked_page;
  std::uint64_t end_page;
};

struct alignas(64) OpenFile {
  static constexpr std::uint32_t kHasFlags = 1U << 31U;

  // Calls on a file that is only opened, read and closed use only the first fields. These fields fill one line of the processor's cache.
  std::atomic<FileClass> file_class;
  std::atomic<bool> was_opened;  // opened by name, and not reused since
  std::atomic<bool> is_new;      // the opening created the file, or emptied it
  std::atomic<Emptied> emptied;  // the data that the opening removed
  std::atomic<std::uint32_t>
      opening_flags;  // the flags of open(), with kHasFlags, while nothing can have changed them; 0: not known
  std::atomic<std::uint64_t>
      trust;  // for which term, and how many of its bytes are left (trust.hpp); 0: no trust
  std::atomic<std::uint64_t>
      position;  // the position plus one (file_position.hpp), or one of the next two values
  static constexpr std::uint64_t kNotKnown = 0;
  static constexpr std::uint64_t kShared = UINT64_MAX;  // other descriptors move it: cannot be known
  std::atomic<std::uint64_t>
      stream_place;  // the position of a stream that writes (stream_transfers.hpp); 0: not known
  std::atomic<std::uint32_t> lock;  // TryLock over everything below
  bool has_details;                 // learn_details() has filled in the next four
  bool is_direct;
  bool is_append;
  bool is_synchronous;
  bool is_own;         // this process's user owns the file, so mincore() gives true answers
  bool can_count;      // the kernel counts resident pages of this file for this process, as far as is known
  bool has_counted;    // the kernel has counted them once, so that need not be tried again
  bool is_size_fresh;  // the file was not used since its size was read
  bool is_block_device;
  std::uint32_t owner_uid;
  std::uint32_t opening;  // a new number each time the descriptor is classified
  Device* device;
  FileId id;
  std::uint64_t size_bytes;
  std::uint64_t unsent_bytes;                // written, and left to the kernel so far (smooth_writes.hpp)
  WriteStep steps[2];                        // the last step that was sent, and the step before it
  std::atomic<std::uint32_t> awaited_reads;  // reads that may still wait for read-ahead (progress.hpp)
  int far_error;  // an error of a step that the program was not told of yet (far_writes.hpp)
  predictor::FileState state;

  // The pages of this file that the job has brought into the page cache through this descriptor (own_cache.hpp).
  static constexpr unsigned kFetchedMax = 4;
  BroughtPages brought;
  GrownPages grown;
  std::uint32_t brought_epoch;  // the process image that brought these pages in
  bool is_read_again;           // the job reads the file again after pages of it were dropped
  bool is_left_to_program;      // the program itself advises the kernel which pages to keep
  unsigned fetched_count;       // the number of windows that the predicted read brings in
  PageRun fetched[kFetchedMax];
  PagesInFlight in_flight;
};

namespace detail {
inline constexpr unsigned kChunkFiles = 64;
inline constexpr unsigned kChunksMax = 1U << 14U;  // descriptors up to 2^20, the kernel's default ceiling
// OpenFile[kChunkFiles]
extern __attribute__((visibility("hidden"))) unsigned char first_open_files[kChunkFiles * sizeof(OpenFile)];
extern __attribute__((visibility("hidden"))) std::atomic<OpenFile*> open_file_chunks[kChunksMax];
OpenFile* map_open_file(unsigned number);
}  // namespace detail

/// The entry of a descriptor, or null when it has none yet. This is the quickest way to find an entry: two loads at most.
__attribute__((always_inline)) inline OpenFile* known_open_file(int fd) {
  const auto number = static_cast<unsigned>(fd);
  if (number < detail::kChunkFiles) [[likely]]
    return reinterpret_cast<OpenFile*>(detail::first_open_files) + number;
  if (number >= detail::kChunkFiles * detail::kChunksMax) return nullptr;
  OpenFile* chunk = detail::open_file_chunks[number / detail::kChunkFiles].load(
      std::memory_order_acquire);  // pairs with map_open_file()
  return chunk == nullptr ? nullptr : &chunk[number % detail::kChunkFiles];
}

/// The entry of a descriptor, or null for a descriptor beyond the table. The entry may be `unknown`. Costs two loads at most when the entry exists.
inline OpenFile* find_open_file(int fd) {
  OpenFile* file = known_open_file(fd);
  return file != nullptr ? file : detail::map_open_file(static_cast<unsigned>(fd));
}

/// True when the descriptor is known to be of a kind that is never charged: a socket, a pipe, a terminal, a file in memory. Costs three loads, so that calls on
/// such descriptors stay cheap.
inline bool is_known_free(int fd) {
  if (static_cast<unsigned>(fd) >= detail::kChunkFiles * detail::kChunksMax) return true;
  const OpenFile* file = known_open_file(fd);
  return file != nullptr && file->file_class.load(std::memory_order_acquire) == FileClass::free;
}

/// Makes an entry unknown.
__attribute__((always_inline)) inline void forget(OpenFile& file) {
  file.was_opened.store(false, std::memory_order_relaxed);
  file.is_new.store(false, std::memory_order_relaxed);
  file.emptied.store(Emptied::not_at_all, std::memory_order_relaxed);
  file.trust.store(0, std::memory_order_relaxed);
  file.position.store(OpenFile::kNotKnown, std::memory_order_relaxed);
  file.stream_place.store(0, std::memory_order_relaxed);
  file.file_class.store(FileClass::unknown, std::memory_order_release);
}

/// Forgets a descriptor, because it was closed, opened or replaced.
inline void forget_open_file(int fd) {
  if (OpenFile* file = known_open_file(fd); file != nullptr) forget(*file);
}

/// Makes the entry describe a file that was just opened by name. `is_new` says that the opening created or emptied the file.
__attribute__((always_inline)) inline void renew(OpenFile& file, bool is_new) {
  forget(file);
  file.opening_flags.store(0, std::memory_order_relaxed);
  file.was_opened.store(true, std::memory_order_relaxed);
  file.is_new.store(is_new, std::memory_order_relaxed);
}

/// Same as renew(), for the entry of a descriptor that was just opened by name. Null for a descriptor beyond the table.
inline OpenFile* renew_opened_file(int fd, bool is_new) {
  OpenFile* file = find_open_file(fd);
  if (file != nullptr) renew(*file, is_new);
  return file;
}

/// Forgets all descriptors in [first, last].
void forget_open_files(unsigned first, unsigned last);

/// Fills in an unknown entry from the descriptor, all but the details. Call under the entry's TryLock. Costs one system call once the device is known.
void classify(protocol::Segment& segment, OpenFile& file, int fd);

/// Same as classify() above, but uses a fresh result of fstat() on the descriptor. Costs no system call once the device is known.
void classify(protocol::Segment& segment, OpenFile& file, int fd, const struct stat& status);

/// Fills in the details of a charged entry, if that has not been done. Call under the entry's TryLock. Costs two system calls, and one when the flags of the opening are known.
void learn_details(OpenFile& file, int fd);

/// Same as learn_details(), but asks the descriptor itself for the flags, once. It is for callers that must not trust the flags of an opening which a vfork
/// child noted in this process's memory.
void ask_details(OpenFile& file, int fd);

/// Same as learn_details(), for an entry that was just classified, when the caller knows the flags of the opening and whether this process's user owns the
/// file. Makes no system call.
void set_details(OpenFile& file, long flags, bool is_own);

/// Reads the size again, because the file may have grown. Returns false when the descriptor is another file now. The entry is then forgotten.
bool refresh_size(OpenFile& file, int fd);

}  // namespace discnice::guest
