// SPDX-License-Identifier: MIT
// test_file: a file without a name in the measured directory, filled with data that is on the disk.
//
// Knowledge assumed: an open file needs no name (O_TMPFILE, or removed right after it was made) and vanishes with its last descriptor, even when the program is
// killed. POSIX_FADV_DONTNEED drops clean pages that no process maps. The kernel answers truthfully to the owner of a file about its cached pages (cachestat,
// mincore). Both are tested on the file itself before they are used. What breaks it: a file system whose answers are about a lower layer (on overlay cachestat
// returns 0, so mincore is used), or that has no cache.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "toolbox/base/fd.hpp"

namespace microbench {

inline constexpr std::uint64_t kPageBytes = 4096;

/// A smaller file has too few places to read from.
inline constexpr std::uint64_t kTestFileBytesMin = 8 * 1024 * 1024;

class TestFile {
 public:
  /// Makes a file of at most `bytes_wanted`. It is smaller if the disk does not have four times as much free space, or if writing takes longer than `time_max_ns`. Calls
  /// `progress` with the share done. Throws NotAvailable.
  TestFile(const std::string& directory, std::uint64_t bytes_wanted, std::uint64_t time_max_ns,
           const std::function<void(double)>& progress);

  /// Uses an existing file, which is only read. Throws NotAvailable.
  explicit TestFile(const std::string& existing_path);

  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t pages() const { return bytes_ / kPageBytes; }
  [[nodiscard]] bool is_writable() const { return is_writable_; }

  /// A descriptor for reads through the page cache, without read-ahead.
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// A descriptor for reads past the page cache; fd() if the file system does not support that.
  [[nodiscard]] int direct_fd() const { return direct_.is_open() ? direct_.get() : fd_.get(); }
  [[nodiscard]] bool has_direct() const { return direct_.is_open(); }

  /// Opens the test file anew, with a read-ahead state of its own.
  [[nodiscard]] gray::base::ScopedFd reopen(int flags) const;

  /// Writes every page back and drops it. Waits for the disk.
  void evict() const;

  /// How many of `count` pages from `first` are in memory; no value if the kernel does not answer truthfully.
  [[nodiscard]] std::optional<std::uint64_t> resident(std::uint64_t first, std::uint64_t count) const;
  [[nodiscard]] bool knows_residency() const { return oracle_ != Oracle::kNone; }
  /// Whether resident() counts pages whose data has not arrived yet: cachestat does, mincore does not.
  [[nodiscard]] bool sees_pages_on_their_way() const { return oracle_ == Oracle::kCachestat; }

  /// kRequestBytesMax of random data, aligned for reads and writes past the page cache.
  [[nodiscard]] void* buffer() const { return buffer_.get(); }

  /// A random page number, but never page 0, from which the kernel reads ahead.
  std::uint64_t random_page() { return 1 + random_() % (pages() - 1); }
  /// A random offset at which `length` bytes fit, a multiple of `alignment`.
  std::uint64_t random_offset(std::uint64_t length, std::uint64_t alignment = kPageBytes) {
    return random_() % ((bytes_ - length) / alignment + 1) * alignment;
  }
  std::mt19937_64& random() { return random_; }

  /// The largest request that fits the buffer.
  static constexpr std::uint64_t kRequestBytesMax = 16 * 1024 * 1024;

 private:
  enum class Oracle { kNone, kCachestat, kMincore };
  void make_in(const std::string& directory);
  void fill(std::uint64_t bytes_wanted, std::uint64_t time_max_ns,
            const std::function<void(double)>& progress);
  void finish_opening();
  void choose_oracle();
  void make_buffer();
  [[nodiscard]] std::optional<std::uint64_t> ask(Oracle oracle, std::uint64_t first,
                                                 std::uint64_t count) const;

  struct FreeAligned {
    void operator()(void* p) const;
  };
  std::string directory_;
  std::uint64_t bytes_ = 0;
  bool is_writable_ = true;
  Oracle oracle_ = Oracle::kNone;
  gray::base::ScopedFd fd_;
  gray::base::ScopedFd direct_;
  std::unique_ptr<void, FreeAligned> buffer_;
  std::mt19937_64 random_;
};

/// A new file without a name in `directory`. Throws NotAvailable with the reason.
gray::base::ScopedFd make_nameless(const std::string& directory, int flags);

/// Reads exactly `length` bytes or throws NotAvailable.
void read_all(int fd, void* buffer, std::uint64_t length, std::uint64_t offset);

/// Writes exactly `length` bytes or throws NotAvailable.
void write_all(int fd, const void* buffer, std::uint64_t length, std::uint64_t offset);

}  // namespace microbench
