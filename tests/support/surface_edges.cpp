// SPDX-License-Identifier: MIT
// surface_edges: makes edge cases of calls on streams, names, folders, maps and queues, and system calls by number. It prints the result and errno of each.
// Runs with and without a preloaded library are compared.
//
//   surface_edges FOLDER     an empty folder on a disk
// surface_edges works like call_edges, which makes the calls on descriptors. errno is set to a mark before each call. The output does not depend on time, process numbers or
// free descriptors. Compiled a second time with _FORTIFY_SOURCE=2, it calls the checked forms.
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <stdio_ext.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace {

constexpr int kMark = 4242;
constexpr std::size_t kBytes = 300'000;
constexpr int kEntries = 900;  // of a folder that several calls are needed to read
char buffer[kBytes];
char other[kBytes];
volatile std::size_t opaque_bytes = kBytes;  // keeps the compiler from deciding fortified forms itself
volatile int opaque_line = 5000;
DIR* volatile no_folder = nullptr;

#define SHOW(what, call)                                                                  \
  do {                                                                                    \
    errno = kMark;                                                                        \
    const long shown_result = static_cast<long>(call);                                    \
    const int shown_errno = errno;                                                        \
    std::printf("%-44s %8ld  %s\n", what, shown_result,                                   \
                shown_errno == kMark ? "errno untouched" : strerrorname_np(shown_errno)); \
  } while (false)

template <typename T>
bool is(T* pointer) {
  return pointer != nullptr;
}

char* nowhere() {
  static void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return static_cast<char*>(page);
}

void fill() {
  for (std::size_t i = 0; i < kBytes; ++i)
    buffer[i] = i % 61 == 60 ? '\n' : static_cast<char>('a' + i * 7919 % 23);
}

int make_file(const char* name, std::size_t bytes) {
  const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, buffer, bytes) != static_cast<ssize_t>(bytes)) std::perror(name);
  lseek(fd, 0, SEEK_SET);
  return fd;
}

unsigned sum_of(const void* bytes, std::size_t length) {
  unsigned sum = 2166136261U;
  for (std::size_t i = 0; i < length; ++i)
    sum = (sum ^ static_cast<const unsigned char*>(bytes)[i]) * 16777619U;
  return sum % 1'000'000;
}

void stream_reads() {
  close(make_file("s", kBytes));
  FILE* stream = fopen("s", "r");
  char* line = nullptr;
  std::size_t room = 0;
  SHOW("fgetc", fgetc(stream));
  SHOW("getc", getc(stream));
  SHOW("getc_unlocked", getc_unlocked(stream));
  SHOW("fgetc_unlocked", fgetc_unlocked(stream));
  SHOW("fgets", is(fgets(other, opaque_line, stream)));
  SHOW("its length", std::strlen(other));
  SHOW("fgets_unlocked", is(fgets_unlocked(other, opaque_line, stream)));
  SHOW("getline", getline(&line, &room, stream));
  SHOW("getdelim", getdelim(&line, &room, 'q', stream));
  SHOW("ungetc", ungetc('!', stream));
  SHOW("fread", fread(other, 1, opaque_bytes / 2, stream));
  SHOW("its sum", sum_of(other, opaque_bytes / 2));
  SHOW("fread of nothing", fread(other, 0, 5, stream));
  SHOW("fread_unlocked", fread_unlocked(other, 10, 1000, stream));
  SHOW("place", ftell(stream));
  SHOW("fseek", fseek(stream, 5, SEEK_SET));
  SHOW("fseek to nowhere", fseek(stream, -5, SEEK_SET));
  SHOW("fseeko", fseeko(stream, 100'000, SEEK_CUR));
  fpos_t place{};
  SHOW("fgetpos", fgetpos(stream, &place));
  SHOW("fread to the end", fread(other, 1, opaque_bytes, stream));
  SHOW("fgetc at the end", fgetc(stream));
  SHOW("getline at the end", getline(&line, &room, stream));
  SHOW("fsetpos", fsetpos(stream, &place));
  SHOW("fgetc there", fgetc(stream));
  errno = kMark;
  rewind(stream);
  SHOW("errno after rewind", 0);
  int number = 0;
  SHOW("fscanf", fscanf(stream, "%2s%n", other, &number));
  SHOW("what it found", number);
  SHOW("fputc to a stream to read", fputc('x', stream));
  SHOW("fwrite to a stream to read", fwrite(other, 1, 10, stream));
  SHOW("fprintf to a stream to read", std::fprintf(stream, "%d", 5));
  SHOW("fgetwc of a stream of bytes", fgetwc(stream) == WEOF);
  SHOW("fclose", fclose(stream));
  std::free(line);
}

void stream_writes() {
  FILE* stream = fopen("w", "w+");
  SHOW("fputc", fputc('a', stream));
  SHOW("putc", putc('b', stream));
  SHOW("putc_unlocked", putc_unlocked('c', stream));
  SHOW("fputs", fputs("some text\n", stream));
  SHOW("fputs_unlocked", fputs_unlocked("more text\n", stream));
  SHOW("fwrite", fwrite(buffer, 1, kBytes, stream));
  SHOW("fwrite_unlocked", fwrite_unlocked(buffer, 100, 70, stream));
  SHOW("fwrite of nothing", fwrite(buffer, 1, 0, stream));
  SHOW("fprintf",
       std::fprintf(stream, "%s %d %5.2f %ld %c %s %s %d %d\n", "a", 1, 2.5, 3L, '4', "five", "six", 7, 8));
  SHOW("fflush", fflush(stream));
  SHOW("fflush_unlocked", fflush_unlocked(stream));
  SHOW("fflush of all", fflush(nullptr));
  SHOW("place", ftello(stream));
  SHOW("fseek back", fseek(stream, 0, SEEK_SET));
  SHOW("what was written", fread(other, 1, kBytes, stream));
  SHOW("its sum", sum_of(other, kBytes));
  SHOW("descriptor prints", dprintf(fileno(stream), "%d and %s\n", 5, "six"));
  SHOW("bad descriptor prints", dprintf(-1, "%d\n", 5));
  SHOW("freopen to read", is(stream = freopen("w", "r", stream)));
  SHOW("fgetc", fgetc(stream));
  SHOW("fwrite", fwrite(buffer, 1, 10, stream));
  SHOW("freopen of what is not there", is(freopen("none/none", "r", stream)));
  SHOW("fopen of what is not there", is(fopen("none", "r")));
  SHOW("fopen with a bad mode", is(fopen("w", "nonsense")));
  FILE* full = fopen("/dev/full", "w");
  SHOW("fwrite to a full device", fwrite(buffer, 1, kBytes, full));
  SHOW("fputc to a full device", fputc('x', full));
  SHOW("fflush to a full device", fflush(full));
  SHOW("fclose of a full device", fclose(full));
  setvbuf(full = fopen("/dev/full", "w"), nullptr, _IONBF, 0);
  SHOW("fputc to a full device, unbuffered", fputc('x', full));
  SHOW("fprintf to a full device, unbuffered", std::fprintf(full, "%d", 7));
  SHOW("fclose of a full device", fclose(full));
  FILE* command = popen("read line; echo \"$line\" >p; exit 7", "w");
  SHOW("popen", fputs("a line\n", command));
  SHOW("pclose", WEXITSTATUS(pclose(command)));
  SHOW("fopen", is(stream = fopen("p", "r")));
  SHOW("fgetws", is(fgetws(reinterpret_cast<wchar_t*>(other), 100, stream)));
  SHOW("fgetwc at the end", fgetwc(stream) == WEOF);
  SHOW("fclose", fclose(stream));
  SHOW("tmpfile", is(stream = tmpfile()));
  SHOW("fputws", fputws(L"wide text", stream));
  SHOW("putwc", static_cast<long>(putwc(L'!', stream)));
  SHOW("fclose", fclose(stream));
}

void attributes_of_names() {
  struct stat status {};
  struct statx more {};
  close(make_file("n", 5000));
  SHOW("stat", stat("n", &status));
  SHOW("size", status.st_size);
  SHOW("stat of what is not there", stat("none", &status));
  SHOW("stat to a bad pointer", stat("n", reinterpret_cast<struct stat*>(nowhere())));
  SHOW("lstat", (symlink("n", "l"), lstat("l", &status)));
  SHOW("is a link", S_ISLNK(status.st_mode));
  SHOW("fstatat", fstatat(AT_FDCWD, "l", &status, 0));
  SHOW("fstatat of a bad folder", fstatat(-1, "n", &status, 0));
  SHOW("statx", statx(AT_FDCWD, "n", 0, STATX_SIZE, &more));
  SHOW("statx with unknown flags", statx(AT_FDCWD, "n", 0x40000000, STATX_SIZE, &more));
  SHOW("access", access("n", R_OK));
  SHOW("access of what is not there", access("none", R_OK));
  SHOW("faccessat", faccessat(AT_FDCWD, "n", X_OK | W_OK, AT_EACCESS));
  SHOW("euidaccess", euidaccess("n", R_OK));
  SHOW("readlink", readlink("l", other, opaque_bytes));
  SHOW("readlink of a file", readlink("n", other, opaque_bytes));
  SHOW("readlinkat", readlinkat(AT_FDCWD, "l", other, opaque_bytes));
  SHOW("getxattr", getxattr("n", "user.none", other, 100));
  SHOW("lgetxattr of what is not there", lgetxattr("none", "user.none", other, 100));
  SHOW("listxattr", listxattr("n", other, opaque_bytes));
  SHOW("realpath of what is not there", is(realpath("none", nullptr)));
  SHOW("realpath", is(realpath("l", nullptr)));
  SHOW("link", link("n", "n2"));
  SHOW("link again", link("n", "n2"));
  SHOW("mkdir", mkdir("d", 0700));
  SHOW("mkdir again", mkdir("d", 0700));
  SHOW("mkdirat", mkdirat(AT_FDCWD, "d/e", 0700));
  SHOW("rmdir of a full one", rmdir("d"));
  SHOW("rmdir", rmdir("d/e"));
  SHOW("chdir", chdir("none"));
  SHOW("symlinkat", symlinkat("x", AT_FDCWD, "d/l"));
}

int any_name(const struct dirent* entry) {
  return entry->d_name[0] != '.';
}

void folders() {
  mkdir("f", 0700);
  char name[64];
  for (int i = 0; i < kEntries; ++i) {
    std::snprintf(name, sizeof name, "f/a-name-that-is-not-short-%d", i);
    close(open(name, O_CREAT | O_WRONLY, 0600));
  }
  SHOW("opendir of what is not there", is(opendir("none")));
  SHOW("opendir of a file", is(opendir("n")));
  DIR* folder = opendir("f");
  long count = 0;
  unsigned sum = 0;
  errno = kMark;
  for (struct dirent* entry = readdir(folder); entry != nullptr; entry = readdir(folder)) {
    ++count;
    sum += sum_of(entry->d_name, std::strlen(entry->d_name));
  }
  SHOW("errno after readdir", errno == kMark);
  SHOW("entries", count);
  SHOW("their sum", sum);
  SHOW("closedir", closedir(folder));
  SHOW("closedir of nothing", closedir(no_folder));
  struct dirent** list = nullptr;
  SHOW("scandir", scandir("f", &list, any_name, alphasort));
  SHOW("scandir of what is not there", scandir("none", &list, any_name, alphasort));
  const int fd = open("f", O_RDONLY | O_DIRECTORY);
  SHOW("getdents64", getdents64(fd, other, opaque_bytes) > 0);
  SHOW("getdents64 of a bad descriptor", getdents64(-1, other, opaque_bytes));
  close(fd);
  char start[] = "f";
  char* starts[] = {start, nullptr};
  FTS* walk = fts_open(starts, FTS_PHYSICAL, nullptr);
  long seen = 0;
  while (fts_read(walk) != nullptr) ++seen;
  SHOW("entries of a walk", seen);
  SHOW("fts_close", fts_close(walk));
  for (int i = 0; i < kEntries; ++i) {  // otherwise the test would look at each of them afterwards
    std::snprintf(name, sizeof name, "f/a-name-that-is-not-short-%d", i);
    unlink(name);
  }
}

void maps() {
  const int fd = make_file("m", kBytes);
  char* map =
      static_cast<char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0));
  SHOW("a map's sum", sum_of(map, kBytes));
  std::memcpy(map, "changed", 7);
  SHOW("msync", msync(map, kBytes, MS_SYNC));
  SHOW("msync of nowhere", msync(reinterpret_cast<void*>(4096), 4096, MS_SYNC));
  SHOW("madvise", madvise(map, kBytes, MADV_WILLNEED));
  SHOW("madvise to populate", madvise(map, kBytes, 22));
  SHOW("madvise without meaning", madvise(map, kBytes, 9999));
  SHOW("madvise of an odd place", madvise(map + 1, kBytes, MADV_WILLNEED));
  SHOW("posix_madvise", posix_madvise(map, kBytes, POSIX_MADV_WILLNEED));
  SHOW("posix_madvise of nowhere", posix_madvise(reinterpret_cast<void*>(4096), 4096, POSIX_MADV_WILLNEED));
  SHOW("munmap", munmap(map, kBytes));
  SHOW("mmap of a bad descriptor", mmap(nullptr, 10, PROT_READ, MAP_SHARED, 999, 0) == MAP_FAILED);
  SHOW("mmap of memory", mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
  SHOW("pread after", pread(fd, other, 7, 0));
  SHOW("the change", std::memcmp(other, "changed", 7));
  close(fd);
}

void ranges() {
  const int fd = make_file("r", 200'000);
  const int clone = make_file("c", 50'000);
  SHOW("fallocate", fallocate(fd, 0, 0, 300'000));
  SHOW("fallocate of less than nothing", fallocate(fd, 0, -1, 5));
  SHOW("punch a hole", fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 5000, 100'000));
  SHOW("punch beyond the end", fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 1'000'000, 100'000));
  SHOW("punch without keeping the size", fallocate(fd, FALLOC_FL_PUNCH_HOLE, 0, 100));
  SHOW("zero a range", fallocate(fd, FALLOC_FL_ZERO_RANGE, 150'000, 10'000));
  SHOW("collapse oddly", fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 5, 10));
  SHOW("collapse", fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 4096, 4096));
  SHOW("fallocate of a bad descriptor", fallocate(-1, 0, 0, 10));
  SHOW("posix_fallocate", posix_fallocate(fd, 0, 310'000));
  SHOW("posix_fallocate of a bad descriptor", posix_fallocate(-1, 0, 10));
  SHOW("size", lseek(fd, 0, SEEK_END));
  SHOW("its sum", sum_of(other, static_cast<std::size_t>(pread(fd, other, kBytes, 0))));
  SHOW("sync_file_range", sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE));
  SHOW("sync_file_range of a bad descriptor", sync_file_range(-1, 0, 0, SYNC_FILE_RANGE_WRITE));
  SHOW("FICLONE of a bad descriptor", ioctl(clone, FICLONE, -1));
  SHOW("FICLONE to a bad descriptor", ioctl(-1, FICLONE, fd));
  SHOW("FICLONE onto itself", ioctl(fd, FICLONE, fd) == 0);
  int bytes = 0;
  SHOW("FIONREAD", ioctl(fd, FIONREAD, &bytes));
  SHOW("FIONREAD to a bad pointer", ioctl(fd, FIONREAD, nowhere()));
  SHOW("FICLONERANGE from a bad pointer", ioctl(fd, FICLONERANGE, nowhere()));
  SHOW("FIDEDUPERANGE from a bad pointer", ioctl(fd, FIDEDUPERANGE, nowhere()));
  SHOW("ioctl without meaning", ioctl(fd, 0x12345678));
  SHOW("ioctl without argument", ioctl(fd, FIOCLEX));
  close(fd);
  close(clone);
}

long finish(aiocb* request) {
  const aiocb* list[] = {request};
  while (aio_error(request) == EINPROGRESS) aio_suspend(list, 1, nullptr);
  return aio_return(request);
}

void queues() {
  const int fd = make_file("q", kBytes);
  aiocb request{};
  request.aio_fildes = fd;
  request.aio_buf = other;
  request.aio_nbytes = kBytes;
  SHOW("aio_read", aio_read(&request));
  SHOW("its result", finish(&request));
  SHOW("its sum", sum_of(other, kBytes));
  request.aio_offset = kBytes - 10;
  SHOW("aio_read across the end", aio_read(&request));
  SHOW("its result", finish(&request));
  request.aio_offset = 0;
  SHOW("aio_write", aio_write(&request));
  SHOW("its result", finish(&request));
  request.aio_fildes = -1;
  SHOW("aio_read of a bad descriptor", aio_read(&request));
  SHOW("its result", finish(&request));
  request.aio_fildes = fd;
  request.aio_offset = -5;
  SHOW("aio_read before the start", aio_read(&request));
  SHOW("its result", finish(&request));
  request.aio_offset = 0;
  request.aio_reqprio = 99999;
  SHOW("aio_read of no rank", aio_read(&request));
  request.aio_reqprio = 0;
  SHOW("aio_fsync", aio_fsync(O_SYNC, &request));
  SHOW("its result", finish(&request));
  SHOW("aio_fsync of no kind", aio_fsync(77, &request));
  aiocb second = request;
  request.aio_lio_opcode = LIO_READ;
  second.aio_lio_opcode = LIO_NOP;
  aiocb* list[] = {&request, nullptr, &second};
  SHOW("lio_listio", lio_listio(LIO_WAIT, list, 3, nullptr));
  SHOW("its result", aio_return(&request));
  SHOW("lio_listio of no kind", lio_listio(77, list, 3, nullptr));
  close(fd);
}

void kernel_queue() {
  const int fd = make_file("k", kBytes);
  aio_context_t context = 0;
  SHOW("io_setup", syscall(SYS_io_setup, 8, &context));
  struct iocb request {};
  request.aio_lio_opcode = IOCB_CMD_PREAD;
  request.aio_fildes = static_cast<std::uint32_t>(fd);
  request.aio_buf = reinterpret_cast<std::uint64_t>(other);
  request.aio_nbytes = kBytes;
  struct iocb* list[] = {&request};
  struct io_event event {};
  SHOW("io_submit", syscall(SYS_io_submit, context, 1, list));
  SHOW("io_getevents", syscall(SYS_io_getevents, context, 1, 1, &event, nullptr));
  SHOW("its result", event.res);
  SHOW("io_submit from a bad pointer", syscall(SYS_io_submit, context, 1, nowhere()));
  SHOW("io_submit of a bad descriptor",
       (request.aio_fildes = 9999, syscall(SYS_io_submit, context, 1, list)));
  SHOW("io_submit to nothing", syscall(SYS_io_submit, 0L, 1, list));
  SHOW("io_destroy", syscall(SYS_io_destroy, context));
  close(fd);
}

void numbers() {
  const int fd = make_file("y", kBytes);
  const iovec parts[2] = {{other, 10}, {other + 100, 50'000}};
  SHOW("syscall read", syscall(SYS_read, fd, other, kBytes / 2));
  SHOW("syscall read at the end", (lseek(fd, 0, SEEK_END), syscall(SYS_read, fd, other, 10)));
  SHOW("syscall read to a bad pointer", (lseek(fd, 0, SEEK_SET), syscall(SYS_read, fd, nowhere(), 10)));
  SHOW("syscall read of a bad descriptor", syscall(SYS_read, -1, other, 10));
  SHOW("syscall pread64", syscall(SYS_pread64, fd, other, kBytes, 5L));
  SHOW("its sum", sum_of(other, kBytes - 5));
  SHOW("syscall pread64 before the start", syscall(SYS_pread64, fd, other, 10L, -5L));
  SHOW("syscall write", syscall(SYS_write, fd, buffer, 100'000L));
  SHOW("syscall write from a bad pointer", syscall(SYS_write, fd, nowhere(), 100L));
  SHOW("syscall pwrite64", syscall(SYS_pwrite64, fd, buffer, 100'000L, 50L));
  SHOW("syscall readv", syscall(SYS_readv, fd, parts, 2L));
  SHOW("syscall preadv", syscall(SYS_preadv, fd, parts, 2L, 7L, 0L));
  SHOW("syscall preadv2 at the position", syscall(SYS_preadv2, fd, parts, 2L, -1L, -1L, 0L));
  SHOW("syscall preadv2 with unknown flags", syscall(SYS_preadv2, fd, parts, 2L, -1L, -1L, 0x40000000L));
  SHOW("syscall writev", syscall(SYS_writev, fd, parts, 2L));
  SHOW("syscall pwritev2", syscall(SYS_pwritev2, fd, parts, 2L, 3L, 0L, 0L));
  SHOW("position after", lseek(fd, 0, SEEK_CUR));
  const int to = static_cast<int>(syscall(SYS_openat, AT_FDCWD, "y2", O_RDWR | O_CREAT | O_TRUNC, 0640));
  SHOW("syscall openat of what is not there", syscall(SYS_openat, AT_FDCWD, "none", O_RDONLY));
  struct stat status {};
  SHOW("mode", (fstat(to, &status), status.st_mode & 0777U));
  long place = 10;
  SHOW("syscall copy_file_range", syscall(SYS_copy_file_range, fd, &place, to, nullptr, 5000L, 0L));
  SHOW("place after", place);
  SHOW("syscall sendfile", syscall(SYS_sendfile, to, fd, &place, 5000L));
  SHOW("place after", place);
  SHOW("size", lseek(to, 0, SEEK_END));
  SHOW("syscall ftruncate", syscall(SYS_ftruncate, to, 100L));
  SHOW("syscall fsync", syscall(SYS_fsync, to));
  SHOW("syscall fallocate", syscall(SYS_fallocate, to, 0L, 0L, 9000L));
  SHOW("syscall newfstatat", syscall(SYS_newfstatat, AT_FDCWD, "y2", &status, 0));
  SHOW("syscall renameat2", syscall(SYS_renameat2, AT_FDCWD, "y2", AT_FDCWD, "y3", 0L));
  SHOW("syscall unlinkat", syscall(SYS_unlinkat, AT_FDCWD, "y3", 0L));
  SHOW("syscall unlinkat again", syscall(SYS_unlinkat, AT_FDCWD, "y3", 0L));
  SHOW("syscall close", syscall(SYS_close, to));
  SHOW("syscall close again", syscall(SYS_close, to));
  SHOW("syscall without meaning", syscall(99'999L));
  SHOW("syscall below all", syscall(-1L));
  char* page = static_cast<char*>(nullptr);
  page = reinterpret_cast<char*>(
      syscall(SYS_mmap, nullptr, 8192L, PROT_READ, MAP_SHARED, fd, 4096L));  // all six words
  SHOW("syscall mmap's sum", sum_of(page, 4096));
  SHOW("setuid to itself", setuid(getuid()));
  SHOW("seteuid to itself", seteuid(geteuid()));
  SHOW("setreuid of nobody", setreuid(static_cast<uid_t>(-1), static_cast<uid_t>(-1)));
  SHOW("setresuid of nobody",
       setresuid(static_cast<uid_t>(-1), static_cast<uid_t>(-1), static_cast<uid_t>(-1)));
  SHOW("setuid to no user", setuid(static_cast<uid_t>(-1)));
  SHOW("syscall setuid to no user", syscall(SYS_setuid, -1L));
  SHOW("syscall setresuid of nobody", syscall(SYS_setresuid, -1L, -1L, -1L));
  SHOW("syscall getpid", syscall(SYS_getpid) == getpid());
  const long child = syscall(SYS_clone, SIGCHLD, 0L, 0L, 0L, 0L);
  if (child == 0) _exit(9);
  int ended = 0;
  SHOW("syscall clone", waitpid(static_cast<pid_t>(child), &ended, 0) == child ? WEXITSTATUS(ended) : -1);
  close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  if (errno != 0) std::printf("errno is %d when main() begins\n", errno);
  if (argc != 2 || chdir(argv[1]) != 0) {
    std::fputs("usage: surface_edges FOLDER\n", stderr);
    return 2;
  }
  fill();
  stream_reads();
  stream_writes();
  attributes_of_names();
  folders();
  maps();
  ranges();
  queues();
  kernel_queue();
  numbers();
  SHOW("putchar", putchar('\n'));
  SHOW("puts", puts("the end"));
  return 0;
}
