// SPDX-License-Identifier: MIT
// read_mix: makes random mixes of reads of one file: in order, at strides, at random, with advice, through several descriptors. The same seed gives the same mix.
//
//   read_mix FILE FIRST_SEED MIXES
//
// Each mix is read by a process of its own, from a file that is not in memory. The program prints nothing: under `discnice verify --record` the recording tells
// the predicted bytes and the bytes that the disk moved (recorded_cases).
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kCallsMax = 200;
constexpr unsigned kDescriptorsMax = 3;
constexpr unsigned kInOneStretchMax = 24;
constexpr std::size_t kLengthMax = std::size_t{1} << 20U;
constexpr std::size_t kPageBytes = 4096;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

class Mix {
 public:
  Mix(const char* path, unsigned seed)
      : numbers_(seed), buffer_(kLengthMax), files_(1 + dice() % kDescriptorsMax) {
    struct stat status {};
    for (int& file : files_) {
      file = open(path, O_RDONLY);
      if (file < 0 || fstat(file, &status) != 0) fail(path);
    }
    size_bytes_ = static_cast<std::uint64_t>(status.st_size);
    if (size_bytes_ < kLengthMax) std::exit(2);
  }

  void run() {
    while (calls_ < kCallsMax) some_of_one_kind(files_[dice() % files_.size()]);
  }

 private:
  unsigned dice() { return static_cast<unsigned>(numbers_()); }
  off_t somewhere() { return static_cast<off_t>(dice() % size_bytes_); }

  void some_of_one_kind(int file) {
    static constexpr std::size_t kLengths[] = {1, kPageBytes, kPageBytes, 16384, 65536, 100000, kLengthMax};
    static constexpr int kAdvice[] = {POSIX_FADV_NORMAL, POSIX_FADV_SEQUENTIAL, POSIX_FADV_RANDOM};
    const std::size_t length = kLengths[dice() % std::size(kLengths)];
    const unsigned count = 1 + dice() % kInOneStretchMax;
    const unsigned step_pages = 1 + dice() % 16;
    switch (dice() % 8) {
      case 0:
      case 1:
      case 2:
        return in_order(file, length, count, 0);
      case 3:
        return in_order(file, length, count, static_cast<off_t>(step_pages * kPageBytes));
      case 4:
        lseek(file, somewhere(), SEEK_SET);
        return in_order(file, length, 1 + count / 8, 0);
      case 5:
        lseek(file, somewhere() / static_cast<off_t>(kPageBytes) * static_cast<off_t>(kPageBytes), SEEK_SET);
        return in_order(file, length, 1 + count / 8, 0);
      case 6:
        return at_random(file, length, count);
      default:
        if (posix_fadvise(file, 0, 0, kAdvice[dice() % std::size(kAdvice)]) != 0) fail("posix_fadvise");
    }
  }

  void in_order(int file, std::size_t length, unsigned count, off_t gap) {
    for (; count > 0; --count, ++calls_) {
      const ssize_t got = read(file, buffer_.data(), length);
      if (got < 0) fail("read");
      if (got == 0)
        lseek(file, 0, SEEK_SET);
      else if (gap > 0)
        lseek(file, gap, SEEK_CUR);
    }
  }

  void at_random(int file, std::size_t length, unsigned count) {
    for (; count > 0; --count, ++calls_)
      if (pread(file, buffer_.data(), length, somewhere()) < 0) fail("pread");
  }

  std::mt19937 numbers_;
  std::vector<char> buffer_;
  std::vector<int> files_;
  std::uint64_t size_bytes_ = 0;
  int calls_ = 0;
};

bool has_cached_pages(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) fail("fstat");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const map = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  std::vector<unsigned char> pages((size + kPageBytes - 1) / kPageBytes);
  if (map == MAP_FAILED || mincore(map, size, pages.data()) != 0) fail("mincore");
  munmap(map, size);
  return std::any_of(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1U) != 0; });
}

// Pages of reads that are still under way cannot be dropped, and mincore() does not report them. These reads have ended when two
// checks in a row find no page.
void make_cold(const char* path) {
  constexpr int kTriesMax = 500;
  constexpr useconds_t kPauseUs = 2000;
  const int file = open(path, O_RDONLY);
  if (file < 0) fail(path);
  int quiet = 0;
  for (int i = 0; i < kTriesMax && quiet < 2; ++i) {
    quiet = has_cached_pages(file) ? 0 : quiet + 1;
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    usleep(kPauseUs);
  }
  close(file);
  if (quiet < 2) {
    errno = EBUSY;
    fail(path);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("read_mix: usage: read_mix FILE FIRST_SEED MIXES\n", stderr);
    return 2;
  }
  const auto first = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  const auto mixes = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
  for (unsigned seed = first; seed < first + mixes; ++seed) {
    make_cold(argv[1]);
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
      Mix(argv[1], seed).run();
      return 0;
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
  }
}
