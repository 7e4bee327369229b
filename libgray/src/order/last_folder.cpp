// SPDX-License-Identifier: MIT
#include "libgray/src/order/last_folder.hpp"

#include <climits>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace gray::order {
namespace {

// Opening and closing the folder takes as long as going through it a few times.
constexpr std::size_t kNamesInRowMin = 8;

}  // namespace

// A name that ends in a slash has no last part. A name that is too long for the kernel is also too long for the program that gets the list.
Relative LastFolder::find(const char* path) {
  const Relative whole{AT_FDCWD, path};
  const char* slash = std::strrchr(path, '/');
  if (slash == nullptr || slash[1] == '\0') return whole;
  const std::string_view prefix(path, static_cast<std::size_t>(slash - path) + 1);
  if (prefix != prefix_) {
    leave();
    prefix_ = prefix;
    return whole;
  }
  if (++names_in_row_ < kNamesInRowMin || prefix.size() + std::strlen(slash) > PATH_MAX) return whole;
  if (names_in_row_ == kNamesInRowMin) fd_ = open(prefix_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  return fd_ < 0 ? whole : Relative{fd_, slash + 1};
}

void LastFolder::leave() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  names_in_row_ = 0;
}

}  // namespace gray::order
