// SPDX-License-Identifier: MIT
// pagecache: makes and verifies the states of the page cache from which tests start.
//
//   pagecache evict FILE...   writes dirty pages out and drops all pages; fails if some stay after several tries
//   pagecache warm FILE...    reads every byte
//   pagecache count FILE...   prints "RESIDENT TOTAL NAME" in pages, a line for each file, by mincore
//   pagecache hold FILE...    reads every byte, maps all of it, prints "held" and stays until it is ended, at most a quarter of an hour: some machines take idle
//                             pages back within seconds, but not mapped pages
//   pagecache nibble FILE...  drops a quarter of the pages every two seconds, in pieces of 256 KiB, until it is ended: it imitates such a machine
//
// Needs no root for the user's own files. It refuses to count files that the user neither owns nor may write, because the kernel would say "all".
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr int kTriesMax = 20;
constexpr useconds_t kPauseUs = 20'000;  // pages with reads in flight survive the first try
constexpr std::size_t kBufferBytes = 1 << 20;
constexpr unsigned kHoldSeconds = 900;
constexpr useconds_t kNibblePauseUs = 2'000'000;
constexpr off_t kPieceBytes = 256 * 1024;

struct Counted {
  std::size_t resident;
  std::size_t total;
};

[[noreturn]] void fail(const char* what, const char* path) {
  std::fprintf(stderr, "pagecache: %s '%s': %s\n", what, path, std::strerror(errno));
  _exit(1);
}

int open_or_fail(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("cannot open", path);
  return fd;
}

Counted count(int fd, const char* path) {
  struct stat status {};
  if (fstat(fd, &status) != 0) fail("cannot stat", path);
  if (geteuid() != 0 && status.st_uid != geteuid() && access(path, W_OK) != 0)
    fail("the kernel would not tell the truth about", path);
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto size = static_cast<std::size_t>(status.st_size);
  Counted counted{0, (size + page_bytes - 1) / page_bytes};
  if (counted.total == 0) return counted;
  void* address = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) fail("cannot map", path);
  std::vector<unsigned char> pages(counted.total);
  if (mincore(address, size, pages.data()) != 0) fail("cannot count", path);
  munmap(address, size);
  for (const unsigned char page : pages) counted.resident += page & 1U;
  return counted;
}

int evict(const char* path) {
  const int fd = open_or_fail(path);
  Counted counted{};
  for (int tries = 0; tries < kTriesMax; ++tries) {
    fdatasync(fd);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    counted = count(fd, path);
    if (counted.resident == 0) break;
    usleep(kPauseUs);
  }
  close(fd);
  if (counted.resident == 0) return 0;
  std::fprintf(stderr, "pagecache: %zu pages of '%s' stay in memory: somebody maps or writes it\n",
               counted.resident, path);
  return 1;
}

int warm(const char* path) {
  const int fd = open_or_fail(path);
  std::vector<char> buffer(kBufferBytes);
  ssize_t length = 0;
  while ((length = read(fd, buffer.data(), buffer.size())) > 0) {
  }
  if (length < 0) fail("cannot read", path);
  close(fd);
  return 0;
}

int hold(const char* path) {
  const int fd = open_or_fail(path);
  struct stat status {};
  if (fstat(fd, &status) != 0) fail("cannot stat", path);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size != 0 && mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0) == MAP_FAILED)
    fail("cannot map", path);
  close(fd);
  return 0;
}

int nibble(const char* path) {
  static std::minstd_rand random;  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same pieces each time
  const int fd = open_or_fail(path);
  const off_t size = lseek(fd, 0, SEEK_END);
  for (off_t at = 0; at < size; at += kPieceBytes) {
    if (random() % 4 == 0) posix_fadvise(fd, at, kPieceBytes, POSIX_FADV_DONTNEED);
  }
  close(fd);
  return 0;
}

int apply_to_all(int (*apply)(const char*), int argc, char** argv) {
  int status = 0;
  for (int i = 2; i < argc; ++i) status |= apply(argv[i]);
  return status;
}

int print_count(const char* path) {
  const int fd = open_or_fail(path);
  const Counted counted = count(fd, path);
  close(fd);
  std::printf("%zu %zu %s\n", counted.resident, counted.total, path);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string action = argc > 1 ? argv[1] : "";
  int (*apply)(const char*) = action == "evict"    ? evict
                              : action == "warm"   ? warm
                              : action == "count"  ? print_count
                              : action == "hold"   ? hold
                              : action == "nibble" ? nibble
                                                   : nullptr;
  if (apply == nullptr || argc < 3) {
    std::fputs("pagecache: write pagecache evict|warm|count|hold|nibble FILE...\n", stderr);
    return 2;
  }
  while (action == "nibble") {
    usleep(kNibblePauseUs);
    apply_to_all(apply, argc, argv);
  }
  const int status = apply_to_all(apply, argc, argv);
  if (action != "hold" || status != 0) return status;
  std::puts("held");
  std::fflush(stdout);
  sleep(kHoldSeconds);
  return 0;
}
