// SPDX-License-Identifier: MIT
// open_files: what is remembered of each descriptor. This is only a hint: a missing entry is made from the descriptor itself (fstat). So a descriptor whose opening was never
// seen is as good as any other.
//
// The entries of the first descriptors, which are enough for most programs, lie in the library's own memory. The table of the others has two levels. The second level is mapped
// when a descriptor of its range is first used, so neither start-up nor memory depends on RLIMIT_NOFILE.
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
  unknown,  // not looked at yet
  free,     // socket, pipe, terminal, file in memory: never charged
  charged,  // a regular file or block device on a disk
};

/// The data that opening a file with O_TRUNC removed.
enum class Emptied : std::uint8_t { not_at_all, of_nothing, of_data };

/// A part of a file that was sent to the disk at once.
struct WriteStep {
  std::uint64_t from_bytes;
  std::uint64_t to_bytes;
};

/// Pages that a writer has added to the end of a file. The pages before `news_page` were dropped, and no page before `again_page` is left. At `looked_page` it was last checked
/// whether any page could be dropped.
struct GrownPages {
  std::uint64_t again_page;
  std::uint64_t news_page;
  std::uint64_t looked_page;
  std::uint64_t end_page;
};

struct alignas(64) OpenFile {
  static constexpr std::uint32_t kHasFlags = 1U << 31U;

  // The members that are needed for a file that is only opened, read and closed are in front: they fill one line of the processor's cache.
  std::atomic<FileClass> file_class;
  std::atomic<bool> was_opened;  // by name, and nothing else has happened to it since
  std::atomic<bool> is_new;      // that opening made the file, or emptied it
  std::atomic<Emptied> emptied;  // what that opening took away
  std::atomic<std::uint32_t>
      opening_flags;  // of open(), and kHasFlags, while nothing can have changed them; 0: not known
  std::atomic<std::uint64_t> trust;  // for which term, and how many bytes of it are left (trust.hpp); 0: none
  std::atomic<std::uint64_t> position;  // one more than it is (file_position.hpp), or:
  static constexpr std::uint64_t kNotKnown = 0;
  static constexpr std::uint64_t kShared = UINT64_MAX;  // others move it: not to be known
  std::atomic<std::uint64_t> stream_place;  // of a stream that writes (stream_transfers.hpp); 0: not known
  std::atomic<std::uint32_t> lock;          // TryLock over everything below
  bool has_details;                         // learn_details() has filled in the next four
  bool is_direct;
  bool is_append;
  bool is_synchronous;
  bool is_own;         // we own the file, so mincore() tells the truth
  bool can_count;      // the kernel counts resident pages for us on this file, as far as is known
  bool has_counted;    // it has, so that it need not be tried again
  bool is_size_fresh;  // nothing has been asked of the file since its size was read
  bool is_block_device;
  std::uint32_t owner_uid;
  std::uint32_t opening;  // another number each time the descriptor is classified anew
  Device* device;
  FileId id;
  std::uint64_t size_bytes;
  std::uint64_t unsent_bytes;                // written and left to the kernel so far (smooth_writes.hpp)
  WriteStep steps[2];                        // the last one sent, and the one before
  std::atomic<std::uint32_t> awaited_reads;  // that may still wait for what was read ahead (progress.hpp)
  int far_error;                             // that a step has met and nobody was told of (far_writes.hpp)
  predictor::FileState state;

  // The pages of the file that the job brought into the page cache through this descriptor (own_cache.hpp).
  static constexpr unsigned kFetchedMax = 4;
  BroughtPages brought;
  GrownPages grown;
  std::uint32_t brought_epoch;  // of the process image that these are of
  bool is_read_again;           // by the job, which had let go of it
  bool is_left_to_program;      // which advises the kernel itself
  unsigned fetched_count;       // windows that the read just foretold brings in
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

/// The entry of a descriptor, or null if it has none yet. This is the quickest look: two loads at most.
__attribute__((always_inline)) inline OpenFile* known_open_file(int fd) {
  const auto number = static_cast<unsigned>(fd);
  if (number < detail::kChunkFiles) [[likely]]
    return reinterpret_cast<OpenFile*>(detail::first_open_files) + number;
  if (number >= detail::kChunkFiles * detail::kChunksMax) return nullptr;
  OpenFile* chunk = detail::open_file_chunks[number / detail::kChunkFiles].load(
      std::memory_order_acquire);  // pairs with map_open_file()
  return chunk == nullptr ? nullptr : &chunk[number % detail::kChunkFiles];
}

/// The entry of a descriptor, or null if the table does not reach so far. The entry may be `unknown`. Two loads at most if it exists.
inline OpenFile* find_open_file(int fd) {
  OpenFile* file = known_open_file(fd);
  return file != nullptr ? file : detail::map_open_file(static_cast<unsigned>(fd));
}

/// True if the descriptor is known to stand for something that is never charged: a socket, a pipe, a terminal, a file in memory. Three loads, so that calls on these cost almost
/// nothing.
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

/// Forgets a descriptor because it was closed, opened or replaced.
inline void forget_open_file(int fd) {
  if (OpenFile* file = known_open_file(fd); file != nullptr) forget(*file);
}

/// Makes the entry of a file that was just opened by name. The opening may have made or emptied the file.
__attribute__((always_inline)) inline void renew(OpenFile& file, bool is_new) {
  forget(file);
  file.opening_flags.store(0, std::memory_order_relaxed);
  file.was_opened.store(true, std::memory_order_relaxed);
  file.is_new.store(is_new, std::memory_order_relaxed);
}

/// The same for a descriptor that was just opened by a name. Null if the table does not reach so far.
inline OpenFile* renew_opened_file(int fd, bool is_new) {
  OpenFile* file = find_open_file(fd);
  if (file != nullptr) renew(*file, is_new);
  return file;
}

/// Forgets all descriptors in [first, last].
void forget_open_files(unsigned first, unsigned last);

/// Fills an unknown entry from the descriptor, except for the details. Call this under the entry's TryLock. One system call if the device is known.
void classify(protocol::Segment& segment, OpenFile& file, int fd);

/// The same from the result of an fstat() that was just made for the descriptor. No system call if the device is known.
void classify(protocol::Segment& segment, OpenFile& file, int fd, const struct stat& status);

/// Fills in the details of a charged entry, if this has not been done. Call this under the entry's TryLock. Two system calls, or one if the flags of the opening are known.
void learn_details(OpenFile& file, int fd);

/// The same from the descriptor itself, once. For callers that must not use the flags of an opening that a vfork child made in this memory.
void ask_details(OpenFile& file, int fd);

/// The same for an entry that was just classified, for a caller that knows the flags of the opening and whether the file belongs to this user. No system call.
void set_details(OpenFile& file, long flags, bool is_own);

/// Reads the size again, because the file may have grown. False if the descriptor is another file now; then the entry is forgotten.
bool refresh_size(OpenFile& file, int fd);

}  // namespace discnice::guest
