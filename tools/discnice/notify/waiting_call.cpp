// SPDX-License-Identifier: MIT
#include "tools/discnice/notify/waiting_call.hpp"

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <unistd.h>

namespace discnice::notify {
namespace {

constexpr std::int64_t kPageBytes = 4096;
// The smallest limit of a disk request. Of a longer range the kernel would read only the beginning.
constexpr std::int64_t kBlockBytes = 128 * 1024;

}  // namespace

bool bring(WaitingCall& waiting, std::uint64_t bytes) {
  static thread_local std::array<char, kBlockBytes> block;
  const std::int64_t end = std::min(waiting.end_bytes, waiting.at_bytes + static_cast<std::int64_t>(bytes));
  while (waiting.at_bytes < end) {
    const std::int64_t wanted = std::min(end - waiting.at_bytes, kBlockBytes);
    posix_fadvise(waiting.file.get(), waiting.at_bytes, wanted, POSIX_FADV_WILLNEED);
    const ssize_t got =
        pread(waiting.file.get(), block.data(), static_cast<std::size_t>(wanted), waiting.at_bytes);
    if (got <= 0) return false;  // the call itself will report the reason
    waiting.at_bytes += got;
  }
  // The kernel has read the whole of the last page.
  waiting.at_bytes = (waiting.at_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  return waiting.at_bytes < waiting.end_bytes;
}

}  // namespace discnice::notify
