// SPDX-License-Identifier: MIT
// call_edges: makes edge cases of file calls and prints the result and errno of each. Runs with and without a preloaded library are compared.
//
//   call_edges FOLDER        an empty folder on a disk
// errno is set to a mark before each call. So the output shows when a successful call changes errno. The output does not depend on time, process numbers
// or free descriptors. The same source is compiled a second time with _FORTIFY_SOURCE=2, and then calls the checked forms.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

constexpr int kMark = 4242;
constexpr std::size_t kBytes = 1'000'000;
char buffer[kBytes + 4096];
volatile std::size_t opaque_bytes = sizeof buffer;  // keeps the compiler from deciding fortified forms itself
volatile int opaque_minus_one = -1;
volatile int opaque_many = 5000;
volatile int signals_seen = 0;

void count_signal(int /*number*/) {
  signals_seen = signals_seen + 1;
}

#define SHOW(what, call)                                                                  \
  do {                                                                                    \
    errno = kMark;                                                                        \
    const long shown_result = static_cast<long>(call);                                    \
    const int shown_errno = errno;                                                        \
    std::printf("%-44s %8ld  %s\n", what, shown_result,                                   \
                shown_errno == kMark ? "errno untouched" : strerrorname_np(shown_errno)); \
  } while (false)

// Makes descriptors comparable: it shows only whether there is one, not its number.
#define SHOW_FD(what, call)                       \
  do {                                            \
    int shown_fd = -1;                            \
    SHOW(what, (shown_fd = (call)) < 0 ? -1 : 0); \
    if (shown_fd >= 0) close(shown_fd);           \
  } while (false)

void* nowhere() {
  static void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page;
}

// The length at which a library would split a long call, if it splits long calls into tenths of a second at the rate of the test.
constexpr std::size_t kPartBytes = 655'360;

// A buffer of `good_bytes` bytes, followed by a page that may not be accessed.
char* good_before_bad(std::size_t good_bytes) {
  char* pages = static_cast<char*>(
      mmap(nullptr, kPartBytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(pages + kPartBytes, 4096, PROT_NONE);
  return pages + kPartBytes - good_bytes;
}

int make_file(const char* name, std::size_t bytes) {
  const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (std::size_t i = 0; i < sizeof buffer; ++i) buffer[i] = static_cast<char>('a' + i % 23);
  if (fd < 0 || write(fd, buffer, bytes) != static_cast<ssize_t>(bytes)) std::perror(name);
  lseek(fd, 0, SEEK_SET);
  return fd;
}

void reads() {
  const int fd = make_file("read", kBytes);
  const int folder = open(".", O_RDONLY | O_DIRECTORY);
  const int write_only = open("read", O_WRONLY);
  SHOW("read of a bad descriptor", read(-1, buffer, 1));
  SHOW("read of a closed descriptor", read(999, buffer, 1));
  SHOW("read of a huge descriptor", read(0x7fffffff, buffer, 1));
  SHOW("read to a bad pointer", read(fd, nowhere(), 100));
  SHOW("read of nothing to a bad pointer", read(fd, nowhere(), 0));
  SHOW("read of nothing", read(fd, buffer, 0));
  SHOW("read half onto a bad page", read(fd, good_before_bad(4096), 8192));
  SHOW("read of much onto a bad page", read(fd, good_before_bad(kPartBytes), kBytes));
  SHOW("read of all and more", read(fd, buffer, opaque_bytes));
  SHOW("read at the end", read(fd, buffer, 10));
  SHOW("position after", lseek(fd, 0, SEEK_CUR));
  SHOW("pread across the end", pread(fd, buffer, 1000, kBytes - 10));
  SHOW("pread past the end", pread(fd, buffer, 1000, kBytes + 10));
  SHOW("pread before the start", pread(fd, buffer, 10, -5));
  SHOW("pread of all", pread(fd, buffer, opaque_bytes, 0));
  SHOW("position is not moved by pread", lseek(fd, 0, SEEK_CUR));
  SHOW("read of a folder", read(folder, buffer, 10));
  SHOW("pread of a folder", pread(folder, buffer, 10, 0));
  SHOW("read of a write-only descriptor", read(write_only, buffer, 10));
  SHOW("pread of a write-only descriptor", pread(write_only, buffer, 10, 0));
  close(fd);
  close(folder);
  close(write_only);
}

void vectors() {
  const int fd = make_file("vector", kBytes);
  iovec parts[3] = {{buffer, 10}, {buffer + 100, 0}, {buffer + 200, 300'000}};
  iovec bad[2] = {{buffer, 10}, {nowhere(), 10}};
  iovec huge[2] = {{buffer, SIZE_MAX}, {buffer, SIZE_MAX}};
  SHOW("readv", readv(fd, parts, 3));
  SHOW("readv of no parts", readv(fd, parts, 0));
  SHOW("readv of a negative number of parts", readv(fd, parts, opaque_minus_one));
  SHOW("readv of too many parts", readv(fd, parts, opaque_many));
  SHOW("readv from a bad array", readv(fd, static_cast<iovec*>(nowhere()), 2));
  SHOW("readv onto a bad pointer", readv(fd, bad, 2));
  SHOW("readv of more than there can be", readv(fd, huge, 2));
  SHOW("position after", lseek(fd, 0, SEEK_CUR));
  SHOW("preadv", preadv(fd, parts, 3, kBytes - 50));
  SHOW("preadv before the start", preadv(fd, parts, 3, -2));
  SHOW("preadv2 at the position", preadv2(fd, parts, 3, -1, 0));
  SHOW("position after", lseek(fd, 0, SEEK_CUR));
  SHOW("preadv2 that may not wait", preadv2(fd, parts, 1, 0, RWF_NOWAIT));
  SHOW("preadv2 with unknown flags", preadv2(fd, parts, 1, 0, 0x40000000));
  SHOW("writev", writev(fd, parts, 3));
  SHOW("writev of no parts", writev(fd, parts, 0));
  SHOW("writev from a bad pointer", writev(fd, bad, 2));
  SHOW("pwritev", pwritev(fd, parts, 3, kBytes));
  SHOW("pwritev2 at the position", pwritev2(fd, parts, 3, -1, 0));
  SHOW("pwritev2 to the end", pwritev2(fd, parts, 3, 0, RWF_APPEND));
  SHOW("size after", lseek(fd, 0, SEEK_END));
  SHOW("readv of a bad descriptor", readv(-1, parts, 3));
  SHOW("writev of a bad descriptor", writev(-1, parts, 3));
  close(fd);
}

void not_files() {
  int ends[2];
  int sockets[2];
  if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return;
  const int counter = eventfd(3, EFD_NONBLOCK);
  SHOW("write to a pipe", write(ends[1], buffer, 1000));
  SHOW("read of a pipe", read(ends[0], buffer, opaque_bytes));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  SHOW("read of an empty pipe that may not wait", read(ends[0], buffer, 10));
  SHOW("pread of a pipe", pread(ends[0], buffer, 10, 0));
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  SHOW("write of more than a pipe holds", write(ends[1], buffer, kBytes));
  SHOW("write to a full pipe", write(ends[1], buffer, 10));
  SHOW("size of a pipe", fcntl(ends[1], F_GETPIPE_SZ));
  close(ends[0]);
  signals_seen = 0;
  SHOW("write to a closed pipe", write(ends[1], buffer, 10));
  SHOW("signals seen", signals_seen);
  SHOW("write to a socket", write(sockets[0], buffer, 1000));
  SHOW("read of a socket", read(sockets[1], buffer, 4000));
  SHOW("send file to a socket from a bad descriptor", sendfile(sockets[0], -1, nullptr, 10));
  SHOW("read of an event counter", read(counter, buffer, 8));
  SHOW("read of an empty event counter", read(counter, buffer, 8));
  SHOW("read of too little of an event counter", read(counter, buffer, 4));
  const int full = open("/dev/full", O_RDWR);
  SHOW("write to /dev/full", write(full, buffer, kBytes));
  SHOW("read of /dev/full", read(full, buffer, 10));
  const int process = open("/proc/self/comm", O_RDONLY);
  SHOW("read of /proc", read(process, buffer, 1) == 1 ? 1 : -1);
  for (const int fd : {ends[1], sockets[0], sockets[1], counter, full, process}) close(fd);
}

void writes() {
  const int fd = make_file("write", 100);
  const int read_only = open("write", O_RDONLY);
  SHOW("write to a bad descriptor", write(-1, buffer, 1));
  SHOW("write from a bad pointer", write(fd, nowhere(), 100));
  SHOW("write from much before a bad page", write(fd, good_before_bad(kPartBytes), kBytes));
  SHOW("write of nothing", write(fd, buffer, 0));
  SHOW("write to a read-only descriptor", write(read_only, buffer, 10));
  SHOW("pwrite before the start", pwrite(fd, buffer, 10, -1));
  SHOW("pwrite past the end", pwrite(fd, buffer, 10, 5000));
  SHOW("size after", lseek(fd, 0, SEEK_END));
  SHOW("write of a megabyte", write(fd, buffer, kBytes));
  const int appender = open("write", O_WRONLY | O_APPEND);
  SHOW("append", write(appender, buffer, 300'000));
  SHOW("pwrite to an appender goes to the end", pwrite(appender, buffer, 100, 0));
  SHOW("size after", lseek(fd, 0, SEEK_END));
  SHOW("fsync", fsync(fd));
  SHOW("fdatasync of a bad descriptor", fdatasync(-1));
  SHOW("fsync of a bad descriptor", fsync(-1));
  close(fd);
  close(read_only);
  close(appender);
}

// The limit lies once in the middle of a part of a split call, and once where the call is split. In both cases the
// result must be the same as without the library.
void size_limit(rlim_t limit_bytes) {
  const int fd = make_file("limit", 0);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{limit_bytes, before.rlim_max};
  std::fflush(stdout);  // the limit holds for stdout, too
  setrlimit(RLIMIT_FSIZE, &limit);
  signals_seen = 0;
  errno = kMark;
  const ssize_t first = write(fd, buffer, kBytes);
  const int first_errno = errno;
  const int first_signals = signals_seen;
  errno = kMark;
  const ssize_t second = write(fd, buffer, kBytes);
  const int second_errno = errno;
  setrlimit(RLIMIT_FSIZE, &before);
  std::printf(
      "a write across the limit of %lu: %zd, errno %d, signals %d; at it: %zd, errno %d, signals %d\n",
      limit_bytes, first, first_errno, first_signals, second, second_errno, signals_seen);
  close(fd);
}

mode_t mode_of(const char* name) {
  struct stat status {};
  return stat(name, &status) == 0 ? status.st_mode & 07777U : 0;
}

void opens() {
  umask(027);
  close(make_file("open", 5000));
  SHOW_FD("open", open("open", O_RDONLY));
  SHOW_FD("open of what is not there", open("none", O_RDONLY));
  SHOW_FD("open of a bad pointer", open(static_cast<char*>(nowhere()), O_RDONLY));
  SHOW_FD("open of a folder to write", open(".", O_WRONLY));
  SHOW_FD("open through a file", open("open/below", O_RDONLY));
  SHOW_FD("open with creation", open("made", O_RDWR | O_CREAT, 0777));
  SHOW("mode of what was made", mode_of("made"));
  SHOW_FD("open with exclusive creation", open("made", O_RDWR | O_CREAT | O_EXCL, 0777));
  SHOW_FD("open with truncation", open("open", O_RDWR | O_TRUNC));
  SHOW_FD("open of an unnamed file", open(".", O_TMPFILE | O_RDWR, 0640));
  SHOW_FD("open as a path only", open("open", O_PATH));
  SHOW_FD("open of a link not to be followed",
          (symlink("open", "link"), open("link", O_RDONLY | O_NOFOLLOW)));
  SHOW_FD("openat of here", openat(AT_FDCWD, "open", O_RDONLY | O_CLOEXEC));
  SHOW_FD("openat of a bad folder", openat(-1, "open", O_RDONLY));
  SHOW_FD("openat with creation", openat(AT_FDCWD, "made-at", O_WRONLY | O_CREAT | O_TRUNC, 04755));
  SHOW("mode of what was made", mode_of("made-at"));
  SHOW_FD("creat", creat("created", 0666));
  SHOW("mode of what was made", mode_of("created"));
  SHOW_FD("creat of a folder", creat(".", 0666));
  SHOW_FD("open64", open64("open", O_RDONLY));
  SHOW_FD("openat64", openat64(AT_FDCWD, "open", O_RDWR | O_APPEND));
}

void descriptors() {
  const int fd = make_file("descriptor", 5000);
  SHOW_FD("dup", dup(fd));
  SHOW("dup of a bad descriptor", dup(-1));
  SHOW("dup2", dup2(fd, 77));
  SHOW("dup2 onto itself", dup2(fd, fd) == fd ? 0 : -1);
  SHOW("dup2 of a bad descriptor", dup2(-1, 77));
  SHOW("dup3 with close on exec", dup3(fd, 78, O_CLOEXEC));
  SHOW("dup3 onto itself", dup3(fd, fd, 0));
  SHOW("flags of the copy", fcntl(78, F_GETFD));
  SHOW("fcntl dup", fcntl(fd, F_DUPFD, 80));
  SHOW("fcntl dup with close on exec", fcntl(fd, F_DUPFD_CLOEXEC, 90));
  SHOW("fcntl dup beyond the limit", fcntl(fd, F_DUPFD, 1 << 30));
  SHOW("read through a copy", read(77, buffer, 100));
  SHOW("the position is shared", lseek(fd, 0, SEEK_CUR));
  struct flock lock {};
  lock.l_type = F_WRLCK;
  SHOW("fcntl looks at a lock", fcntl(fd, F_GETLK, &lock));
  SHOW("type of the lock", lock.l_type);
  lock.l_type = F_WRLCK;
  SHOW("fcntl sets a lock", fcntl(fd, F_SETLK, &lock));
  SHOW("fcntl with a bad command", fcntl(fd, 12345, 0));
  SHOW("fcntl sets append", fcntl(fd, F_SETFL, O_APPEND));
  SHOW("append through the copy", write(77, buffer, 10));
  SHOW("size after", lseek(fd, 0, SEEK_END));
  SHOW("fcntl shows the flags", fcntl(fd, F_GETFL) & (O_APPEND | O_ACCMODE));
  SHOW("close_range", close_range(77, 95, 0));
  SHOW("close of what it closed", close(80));
  SHOW("close_range the wrong way round", close_range(95, 77, 0));
  SHOW("close", close(fd));
  SHOW("close again", close(fd));
  SHOW("close of a bad descriptor", close(-1));
  dup2(0, 60);
  closefrom(50);
  SHOW("close after closefrom", close(60));
}

void names() {
  for (const char* name : {"n1", "n2", "n3"}) close(make_file(name, 100'000));
  const int folder = open(".", O_RDONLY | O_DIRECTORY);
  SHOW("rename onto another", rename("n1", "n2"));
  SHOW("rename of what is not there", rename("n1", "n2"));
  SHOW("renameat", renameat(folder, "n2", folder, "n1"));
  SHOW("renameat2 that must not replace", renameat2(folder, "n1", folder, "n3", RENAME_NOREPLACE));
  SHOW("renameat2 exchanges", renameat2(folder, "n1", folder, "n3", RENAME_EXCHANGE));
  SHOW("renameat2 exchanges with nothing", renameat2(folder, "n1", folder, "none", RENAME_EXCHANGE));
  SHOW("rename of a bad pointer", rename(static_cast<char*>(nowhere()), "n1"));
  SHOW("unlink", unlink("n1"));
  SHOW("unlink of what is not there", unlink("n1"));
  SHOW("unlink of a bad pointer", unlink(static_cast<char*>(nowhere())));
  SHOW("unlink of a folder", unlink("."));
  SHOW("unlinkat", unlinkat(folder, "n3", 0));
  SHOW("unlinkat of a folder", (mkdir("sub", 0700), unlinkat(folder, "sub", AT_REMOVEDIR)));
  SHOW("unlinkat of a bad folder", unlinkat(-1, "n3", 0));
  const int fd = make_file("size", 100'000);
  SHOW("truncate", truncate("size", 5000));
  SHOW("truncate to more", truncate("size", 9000));
  SHOW("truncate below nothing", truncate("size", -1));
  SHOW("truncate of what is not there", truncate("none", 1));
  SHOW("truncate of a bad pointer", truncate(static_cast<char*>(nowhere()), 1));
  SHOW("ftruncate", ftruncate(fd, 123));
  SHOW("ftruncate of a bad descriptor", ftruncate(-1, 123));
  SHOW("ftruncate below nothing", ftruncate(fd, -7));
  SHOW("size after", lseek(fd, 0, SEEK_END));
  SHOW("advice", posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
  SHOW("advice of no meaning", posix_fadvise(fd, 0, 0, 99));
  SHOW("advice on a bad descriptor", posix_fadvise(-1, 0, 0, POSIX_FADV_RANDOM));
  close(fd);
  close(folder);
}

long copy_all(int from, int to, bool is_by_range) {
  long sum = 0;
  while (true) {
    const ssize_t part = is_by_range ? copy_file_range(from, nullptr, to, nullptr, SIZE_MAX / 2, 0)
                                     : sendfile(to, from, nullptr, 1U << 30U);
    if (part <= 0) return part < 0 ? part : sum;
    sum += part;
  }
}

void copies() {
  const int from = make_file("from", kBytes);
  const int to = make_file("to", 0);
  SHOW("copy of all", copy_all(from, to, true));
  SHOW("copy at the end", copy_file_range(from, nullptr, to, nullptr, 100, 0));
  off64_t from_offset = 10;
  off64_t to_offset = 20;
  SHOW("copy from place to place", copy_file_range(from, &from_offset, to, &to_offset, 1000, 0));
  SHOW("place after", from_offset);
  SHOW("other place after", to_offset);
  SHOW("copy from a bad pointer",
       copy_file_range(from, static_cast<off64_t*>(nowhere()), to, nullptr, 10, 0));
  SHOW("copy with flags", copy_file_range(from, &from_offset, to, nullptr, 10, 1));
  SHOW("copy to a bad descriptor", copy_file_range(from, &from_offset, -1, nullptr, 10, 0));
  SHOW("copy of nothing", copy_file_range(from, &from_offset, to, nullptr, 0, 0));
  lseek(from, 0, SEEK_SET);
  SHOW("send of all", copy_all(from, to, false));
  off_t place = 5;
  SHOW("send from a place", sendfile(to, from, &place, 1000));
  SHOW("place after", place);
  SHOW("send from a bad pointer", sendfile(to, from, static_cast<off_t*>(nowhere()), 10));
  SHOW("size after", lseek(to, 0, SEEK_END));
  close(from);
  close(to);
}

}  // namespace

int main(int argc, char** argv) {
  if (errno != 0) std::printf("errno is %d when main() begins\n", errno);
  if (argc != 2 || chdir(argv[1]) != 0) {
    std::fputs("usage: call_edges FOLDER\n", stderr);
    return 2;
  }
  std::signal(SIGPIPE, count_signal);
  std::signal(SIGXFSZ, count_signal);
  reads();
  vectors();
  not_files();
  writes();
  for (const rlim_t limit_bytes : {rlim_t{100'000}, rlim_t{65'536}, rlim_t{196'608}, rlim_t{kPartBytes}})
    size_limit(limit_bytes);
  opens();
  descriptors();
  names();
  copies();
  return 0;
}
