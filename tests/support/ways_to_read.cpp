// SPDX-License-Identifier: MIT
// ways_to_read: reads a whole file in one of the ways that do not use read().
//
//   ways_to_read WAY FILE     prints a sum over what was read; the ways are in kWays
//
// Ends with 77 where the kernel refuses the way.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <aio.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr std::size_t kWindowBytes = 256 * 1024;  // of a map at a time
constexpr int kCannot = 77;
char block[kBlockBytes];

struct Sum {
  std::uint64_t value = 0;
  void add(const char* bytes, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) value = value * 31 + static_cast<unsigned char>(bytes[i]);
  }
};

[[noreturn]] void cannot(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  std::exit(kCannot);
}

int opened(const char* path) {
  const int fd = open(path, O_RDONLY);
  if (fd < 0) cannot(path);
  return fd;
}

std::size_t size_of(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

Sum by_characters(const char* path) {
  Sum sum;
  FILE* stream = fopen(path, "r");
  for (int c = getc(stream); c != EOF; c = getc(stream)) {
    const char byte = static_cast<char>(c);
    sum.add(&byte, 1);
  }
  fclose(stream);
  return sum;
}

Sum by_lines(const char* path) {
  Sum sum;
  FILE* stream = fopen(path, "r");
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t length = 0; (length = getline(&line, &room, stream)) > 0;)
    sum.add(line, static_cast<std::size_t>(length));
  std::free(line);
  fclose(stream);
  return sum;
}

Sum by_map(const char* path) {
  Sum sum;
  const int fd = opened(path);
  const std::size_t bytes = size_of(fd);
  for (std::size_t at = 0; at < bytes; at += kWindowBytes) {
    const std::size_t length = bytes - at < kWindowBytes ? bytes - at : kWindowBytes;
    void* map = mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(at));
    if (map == MAP_FAILED) cannot("mmap");
    sum.add(static_cast<const char*>(map), length);
    munmap(map, length);
  }
  close(fd);
  return sum;
}

Sum by_number(const char* path) {
  Sum sum;
  const int fd = opened(path);
  for (long length = 0; (length = syscall(SYS_read, fd, block, kBlockBytes)) > 0;)
    sum.add(block, static_cast<std::size_t>(length));
  close(fd);
  return sum;
}

Sum by_helper_threads(const char* path) {
  Sum sum;
  const int fd = opened(path);
  aiocb request{};
  request.aio_fildes = fd;
  request.aio_buf = block;
  request.aio_nbytes = kBlockBytes;
  const aiocb* const list[] = {&request};
  while (true) {
    if (aio_read(&request) != 0) cannot("aio_read");
    while (aio_error(&request) == EINPROGRESS) aio_suspend(list, 1, nullptr);
    const ssize_t length = aio_return(&request);
    if (length <= 0) break;
    sum.add(block, static_cast<std::size_t>(length));
    request.aio_offset += length;
  }
  close(fd);
  return sum;
}

Sum by_kernel_queue(const char* path) {
  Sum sum;
  const int fd = opened(path);
  aio_context_t context = 0;
  if (syscall(SYS_io_setup, 1, &context) != 0) cannot("io_setup");
  struct iocb request {};
  request.aio_lio_opcode = IOCB_CMD_PREAD;
  request.aio_fildes = static_cast<std::uint32_t>(fd);
  request.aio_buf = reinterpret_cast<std::uint64_t>(block);
  request.aio_nbytes = kBlockBytes;
  struct iocb* list[] = {&request};
  struct io_event event {};
  while (syscall(SYS_io_submit, context, 1, list) == 1 &&
         syscall(SYS_io_getevents, context, 1, 1, &event, nullptr) == 1 && event.res > 0) {
    sum.add(block, static_cast<std::size_t>(event.res));
    request.aio_offset += event.res;
  }
  syscall(SYS_io_destroy, context);
  close(fd);
  return sum;
}

// A ring of one entry, used only through the kernel's interface.
struct Ring {
  int fd = -1;
  io_uring_params parameters{};
  char* submissions = nullptr;
  char* completions = nullptr;
  io_uring_sqe* entries = nullptr;

  Ring() {
    fd = static_cast<int>(syscall(SYS_io_uring_setup, 1, &parameters));
    if (fd < 0) cannot("io_uring_setup");
    submissions =
        part(parameters.sq_off.array + parameters.sq_entries * sizeof(std::uint32_t), IORING_OFF_SQ_RING);
    completions =
        part(parameters.cq_off.cqes + parameters.cq_entries * sizeof(io_uring_cqe), IORING_OFF_CQ_RING);
    entries =
        reinterpret_cast<io_uring_sqe*>(part(parameters.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
  }
  char* part(std::size_t bytes, off_t place) const {
    void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, place);
    if (map == MAP_FAILED) cannot("a ring's memory");
    return static_cast<char*>(map);
  }
  std::uint32_t* submission_word(std::uint32_t place) const {
    return reinterpret_cast<std::uint32_t*>(submissions + place);
  }
  std::uint32_t* completion_word(std::uint32_t place) const {
    return reinterpret_cast<std::uint32_t*>(completions + place);
  }

  int read(int file, std::uint64_t offset) const {
    entries[0] = io_uring_sqe{};
    entries[0].opcode = IORING_OP_READ;
    entries[0].fd = file;
    entries[0].addr = reinterpret_cast<std::uint64_t>(block);
    entries[0].len = kBlockBytes;
    entries[0].off = offset;
    const std::uint32_t tail = *submission_word(parameters.sq_off.tail);
    submission_word(parameters.sq_off.array)[tail & *submission_word(parameters.sq_off.ring_mask)] = 0;
    __atomic_store_n(submission_word(parameters.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) < 0)
      cannot("io_uring_enter");
    const std::uint32_t head = *completion_word(parameters.cq_off.head);
    const auto* results = reinterpret_cast<const io_uring_cqe*>(completions + parameters.cq_off.cqes);
    const int result = results[head & *completion_word(parameters.cq_off.ring_mask)].res;
    __atomic_store_n(completion_word(parameters.cq_off.head), head + 1, __ATOMIC_RELEASE);
    return result;
  }
};

Sum by_ring(const char* path) {
  Sum sum;
  const int fd = opened(path);
  const Ring ring;
  std::uint64_t offset = 0;
  for (int length = 0; (length = ring.read(fd, offset)) > 0; offset += static_cast<std::uint64_t>(length))
    sum.add(block, static_cast<std::size_t>(length));
  close(fd);
  return sum;
}

struct Way {
  const char* name;
  Sum (*read_all)(const char* path);
};

constexpr Way kWays[] = {{"getc", by_characters}, {"getline", by_lines},      {"mmap", by_map},
                         {"syscall", by_number},  {"aio", by_helper_threads}, {"io_submit", by_kernel_queue},
                         {"io_uring", by_ring}};

}  // namespace

int main(int argc, char** argv) {
  for (const Way& way : kWays) {
    if (argc != 3 || std::strcmp(way.name, argv[1]) != 0) continue;
    std::printf("%lx\n", way.read_all(argv[2]).value);
    return 0;
  }
  std::fputs("usage: ways_to_read WAY FILE\nWays:", stderr);
  for (const Way& way : kWays) std::fprintf(stderr, " %s", way.name);
  std::fputs("\n", stderr);
  return 2;
}
