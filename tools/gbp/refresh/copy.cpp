// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/copy.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <vector>

#include <unistd.h>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace gbp::refresh_parts {
namespace {

constexpr std::size_t kBufferBytes = gray::base::kMiB;

std::string failed(const char* what) {
  return std::string(what) + ": " + gray::cli::error_text(errno);
}

struct Range {
  std::uint64_t start;
  std::uint64_t end;
};

// The next range of data from `at` on; empty at the end. Without SEEK_DATA all of the file counts as data.
Range next_data(int fd, std::uint64_t at, std::uint64_t bytes) {
  const off_t data = lseek(fd, static_cast<off_t>(at), SEEK_DATA);
  if (data < 0) return errno == ENXIO ? Range{bytes, bytes} : Range{at, bytes};
  const off_t hole = lseek(fd, data, SEEK_HOLE);
  const std::uint64_t end = hole < 0 ? bytes : static_cast<std::uint64_t>(hole);
  return {std::min(static_cast<std::uint64_t>(data), bytes), std::min(end, bytes)};
}

// Reads exactly this many bytes. On failure returns false with errno; EIO means that the file has become shorter.
bool read_exactly(int fd, char* to, std::size_t bytes, std::uint64_t at) {
  while (bytes > 0) {
    const ssize_t length = pread(fd, to, bytes, static_cast<off_t>(at));
    if (length < 0 && errno == EINTR) continue;
    if (length == 0) errno = EIO;
    if (length <= 0) return false;
    to += length;
    at += static_cast<std::uint64_t>(length);
    bytes -= static_cast<std::size_t>(length);
  }
  return true;
}

bool write_exactly(int fd, const char* from, std::size_t bytes, std::uint64_t at) {
  while (bytes > 0) {
    const ssize_t length = pwrite(fd, from, bytes, static_cast<off_t>(at));
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return false;
    from += length;
    at += static_cast<std::uint64_t>(length);
    bytes -= static_cast<std::size_t>(length);
  }
  return true;
}

using Piece = std::function<std::string(std::uint64_t at, std::size_t bytes)>;

// Calls `work` for each piece of each range of data.
std::string for_data(int fd, std::uint64_t bytes, const Piece& work) {
  for (std::uint64_t at = 0; at < bytes;) {
    const Range data = next_data(fd, at, bytes);
    for (at = data.start; at < data.end;) {
      const std::size_t part = std::min<std::uint64_t>(kBufferBytes, data.end - at);
      std::string problem = work(at, part);
      if (!problem.empty()) return problem;
      at += part;
    }
    at = std::max(at, data.end);
  }
  return "";
}

}  // namespace

std::string copy_data(int from, int to, std::uint64_t bytes) {
  if (ftruncate(to, static_cast<off_t>(bytes)) != 0) return failed("cannot make it as long");
  std::vector<char> buffer(kBufferBytes);
  return for_data(from, bytes, [&](std::uint64_t at, std::size_t part) -> std::string {
    if (!read_exactly(from, buffer.data(), part, at)) return failed("cannot read");
    return write_exactly(to, buffer.data(), part, at) ? "" : failed("cannot write the copy");
  });
}

std::string compare_data(int from, int to, std::uint64_t bytes) {
  std::vector<char> a(kBufferBytes);
  std::vector<char> b(kBufferBytes);
  const auto compare = [&](std::uint64_t at, std::size_t part) -> std::string {
    if (!read_exactly(from, a.data(), part, at) || !read_exactly(to, b.data(), part, at))
      return failed("cannot read");
    return std::memcmp(a.data(), b.data(), part) == 0 ? "" : "the copy differs";
  };
  // Compares in both directions: where only the copy has data, that data must be zeros, like the hole in the original.
  std::string problem = for_data(from, bytes, compare);
  return problem.empty() ? for_data(to, bytes, compare) : problem;
}

}  // namespace gbp::refresh_parts
