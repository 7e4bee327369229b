// SPDX-License-Identifier: MIT
#include "tools/gbp/outlet.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <unistd.h>

namespace gbp {
namespace {

constexpr std::size_t kReadBytes = gray::base::kMiB;

int write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return -errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

Outlet::Outlet(int file_fd, std::uint64_t file_bytes, Whole whole, std::uint64_t record_bytes)
    : file_(file_fd),
      file_bytes_(file_bytes),
      whole_(whole),
      whole_bytes_(whole == Whole::records ? file_bytes - file_bytes % record_bytes : file_bytes),
      lines_(write_all, [this](std::uint64_t offset, std::uint64_t bytes, const LineJoiner::Write& write) {
        return read_again(offset, bytes, write);
      }) {}

int Outlet::take(std::uint64_t offset, std::string_view piece) {
  if (whole_ == Whole::automatic) whole_ = is_text(piece) ? Whole::lines : Whole::bytes;
  if (whole_ == Whole::lines) return lines_.take(offset, piece);
  return offset < whole_bytes_ ? write_all(piece.substr(0, whole_bytes_ - offset)) : 0;
}

int Outlet::finish() {
  if (whole_ == Whole::lines) return lines_.finish();
  return read_again(whole_bytes_, file_bytes_ - whole_bytes_, write_all);
}

int Outlet::read_again(std::uint64_t offset, std::uint64_t bytes, const LineJoiner::Write& write) const {
  std::vector<char> buffer(std::min<std::uint64_t>(kReadBytes, bytes));
  while (bytes > 0) {
    const ssize_t length = pread(file_, buffer.data(), std::min<std::uint64_t>(buffer.size(), bytes),
                                 static_cast<off_t>(offset));
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return length < 0 ? -errno : -EIO;
    const auto read_bytes = static_cast<std::size_t>(length);
    if (const int error = write(std::string_view(buffer.data(), read_bytes)); error != 0) return error;
    offset += read_bytes;
    bytes -= read_bytes;
  }
  return 0;
}

}  // namespace gbp
