// SPDX-License-Identifier: MIT
#include "tools/gb-grep/spool.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gb_grep {
namespace {

constexpr std::size_t kBlockBytes = 1U << 16U;

}  // namespace

// Some file systems do not support O_TMPFILE.
int make_temporary_file(const std::string& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd >= 0) return fd;
  std::string path = folder + "/gb-grep.XXXXXX";
  const int named = mkostemp(path.data(), O_APPEND | O_CLOEXEC);
  if (named >= 0) unlink(path.c_str());
  return named;
}

int make_memory_file() {
  const int fd = memfd_create("gb-grep", MFD_CLOEXEC);
  if (fd >= 0) fcntl(fd, F_SETFL, O_APPEND);
  return fd;
}

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

Spool::~Spool() {
  if (fd_ >= 0) close(fd_);
}

std::uint64_t Spool::bytes() const {
  struct stat status {};
  return fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::string Spool::text(std::uint64_t begin, std::uint64_t end) const {
  std::string text(begin < end ? end - begin : 0, '\0');
  const ssize_t length = pread(fd_, text.data(), text.size(), static_cast<off_t>(begin));
  text.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
  return text;
}

int Spool::copy(std::uint64_t begin, std::uint64_t end, int to_fd) const {
  while (begin < end) {
    const std::string block = text(begin, std::min(end, begin + kBlockBytes));
    if (block.empty()) return -EIO;
    if (const int error = write_all(to_fd, block.data(), block.size()); error != 0) return error;
    begin += block.size();
  }
  return 0;
}

void Spool::clear() const {
  if (ftruncate(fd_, 0) != 0) return;  // if this fails, the file keeps growing
}

int write_all(int fd, const char* data, std::size_t length) {
  while (length > 0) {
    const ssize_t written = write(fd, data, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return -errno;
    data += written;
    length -= static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace gb_grep
