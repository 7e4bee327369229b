// SPDX-License-Identifier: MIT
// small_stacks: reads, writes and opens files where the program has left little stack for that, and prints the results.
//
//   small_stacks threads FOLDER    in threads with the smallest possible stacks
//   small_stacks handlers FOLDER   in handlers on alternate stacks of 8 KiB
//   small_stacks depth FOLDER      in a thread with a painted stack, to measure how many bytes of it the calls used. To be run after another case has made the file,
//                                  so that no other thread makes a call first
//
// Each round reads a file that is not cached (so that a limit holds the read, and a profile samples it), makes a file and removes it. The output is the same with
// and without a preloaded library, except for `depth`. The program is bound when it is loaded, so that none of its own calls needs the loader.
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr std::size_t kBlockBytes = 16384;
constexpr int kBlocks = 24;
constexpr std::size_t kAlternateBytes = 8192;
constexpr std::size_t kPaintedBytes = std::size_t{1} << 20;
constexpr unsigned char kPaint = 0xa5;

char folder[PATH_MAX - 32];
char input[PATH_MAX];
char output[PATH_MAX];
char block[kBlockBytes];  // one block for all, because the stacks have no room for it
std::uint64_t sum_of_bytes;
volatile int rounds_done;

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::_Exit(2);
}

// Makes only calls that are safe in a handler, and has no large variable.
void do_round(int number) {
  const int in = open(input, O_RDONLY | O_CLOEXEC);
  if (in < 0) give_up("open");
  const off_t place = static_cast<off_t>(number % kBlocks) * static_cast<off_t>(kBlockBytes);
  if (posix_fadvise(in, 0, 0, POSIX_FADV_DONTNEED) != 0) give_up("fadvise");
  if (pread(in, block, kBlockBytes, place) != static_cast<ssize_t>(kBlockBytes)) give_up("pread");
  for (const char byte : block) sum_of_bytes = sum_of_bytes * 31 + static_cast<unsigned char>(byte);
  if (lseek(in, 0, SEEK_SET) != 0 || read(in, block, 100) != 100) give_up("read");
  close(in);
  const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (out < 0 || write(out, block, kBlockBytes) != static_cast<ssize_t>(kBlockBytes)) give_up("write");
  if (fdatasync(out) != 0) give_up("fdatasync");
  close(out);
  if (unlink(output) != 0) give_up("unlink");
  rounds_done = rounds_done + 1;
}

std::uintptr_t first_frame;

void* run_thread(void* rounds) {
  first_frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto count = static_cast<int>(reinterpret_cast<std::intptr_t>(rounds));
  for (int i = 0; i < count; ++i) do_round(i);
  return nullptr;
}

// The threads run one after the other, so that the sum is the same each time.
void run_on(const pthread_attr_t& attributes, int rounds) {
  pthread_t thread{};
  if (pthread_create(&thread, &attributes, run_thread, reinterpret_cast<void*>(std::intptr_t{rounds})) != 0)
    give_up("pthread_create");
  pthread_join(thread, nullptr);
}

void run_in_threads() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(PTHREAD_STACK_MIN)) != 0)
    give_up("pthread_attr_setstacksize");
  for (int i = 0; i < 4; ++i) run_on(attributes, 6);
}

void on_signal(int /*number*/) {
  do_round(rounds_done);
}

void run_in_handlers() {
  static char alternate[kAlternateBytes];
  stack_t stack{};
  stack.ss_sp = alternate;
  stack.ss_size = sizeof alternate;
  if (sigaltstack(&stack, nullptr) != 0) give_up("sigaltstack");
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  for (int i = 0; i < 12; ++i) raise(SIGUSR1);
}

void measure_depth() {
  void* memory = mmap(nullptr, kPaintedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) give_up("mmap");
  std::memset(memory, kPaint, kPaintedBytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, memory, kPaintedBytes);
  run_on(attributes, 3);
  const auto* bytes = static_cast<const unsigned char*>(memory);
  std::size_t untouched = 0;
  while (untouched < kPaintedBytes && bytes[untouched] == kPaint) ++untouched;
  std::printf("%zu\n", first_frame - reinterpret_cast<std::uintptr_t>(bytes + untouched));
}

void make_input() {
  const int fd = open(input, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  for (int i = 0; i < kBlocks; ++i) {
    for (std::size_t k = 0; k < kBlockBytes; ++k)
      block[k] = static_cast<char>(k * 7 + static_cast<unsigned>(i));
    if (write(fd, block, kBlockBytes) != static_cast<ssize_t>(kBlockBytes)) give_up("write");
  }
  if (fsync(fd) != 0) give_up("fsync");
  close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::strlen(argv[2]) >= sizeof folder) return 2;
  std::strcpy(folder, argv[2]);
  std::snprintf(input, sizeof input, "%s/small-stacks-input", folder);
  std::snprintf(output, sizeof output, "%s/small-stacks-output", folder);
  if (std::strcmp(argv[1], "depth") != 0) make_input();
  if (std::strcmp(argv[1], "threads") == 0) {
    run_in_threads();
  } else if (std::strcmp(argv[1], "handlers") == 0) {
    run_in_handlers();
  } else {
    measure_depth();
    return 0;
  }
  std::printf("%s: %d rounds, sum %llx\n", argv[1], rounds_done,
              static_cast<unsigned long long>(sum_of_bytes));
  return 0;
}
