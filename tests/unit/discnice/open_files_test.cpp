// SPDX-License-Identifier: MIT
// open_files_test: the facts that are remembered of descriptors. A wrong fact is found again from the
// descriptor.
//
// How: the test opens real pipes, sockets and files, in /dev/shm (memory) and in the build folder. Left out: block devices,
// and file systems that this machine does not have.
#include "tools/discnice/descriptor/open_files.hpp"

#include <cstdlib>
#include <memory>
#include <string>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "toolbox/base/clock.hpp"
#include "tools/discnice/protocol/device_facts.hpp"

using namespace discnice;
using namespace discnice::guest;

namespace {

constexpr int kTableEnd = 1 << 20;

// A file without a name in `folder`, of `size_bytes`.
class TestFile {
 public:
  TestFile(const char* folder, off_t size_bytes, int flags = 0) {
    path_ = std::string(folder) + "/discnice-open-files-XXXXXX";
    fd_ = mkostemp(path_.data(), flags | O_CLOEXEC);
    if (fd_ < 0) return;
    unlink(path_.c_str());
    REQUIRE(ftruncate(fd_, size_bytes) == 0);
  }
  ~TestFile() {
    if (fd_ >= 0) close(fd_);
  }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;

  [[nodiscard]] int fd() const { return fd_; }

 private:
  std::string path_;
  int fd_ = -1;
};

bool is_in_memory(int fd) {
  struct statfs status {};
  return fstatfs(fd, &status) == 0 && status.f_type == TMPFS_MAGIC;
}

// A job that knows no device when it uses the first file.
discnice::protocol::Segment& job_segment() {
  static const auto segment = std::make_unique<discnice::protocol::Segment>();
  return *segment;
}

// Classifies a fresh entry, as the first call on a descriptor does.
FileClass class_of(int fd) {
  const auto file = std::make_unique<OpenFile>();
  classify(job_segment(), *file, fd);
  return file->file_class.load();
}

}  // namespace

TEST_CASE("a descriptor finds the same entry again, its neighbours others", "[open_files]") {
  OpenFile* file = find_open_file(70);
  REQUIRE(file != nullptr);
  CHECK(find_open_file(70) == file);
  CHECK(find_open_file(71) == file + 1);
  CHECK(find_open_file(0) != file);
  CHECK(file->file_class.load() == FileClass::unknown);
}

TEST_CASE("descriptors the table does not reach have no entry and are forgotten in peace", "[open_files]") {
  CHECK(find_open_file(-1) == nullptr);
  CHECK(find_open_file(kTableEnd) == nullptr);
  CHECK(find_open_file(INT32_MAX) == nullptr);
  CHECK(find_open_file(kTableEnd - 1) != nullptr);
  forget_open_file(-1);
  forget_open_file(kTableEnd);
  forget_open_files(5, 3);
}

TEST_CASE("forgetting a range forgets its ends and nothing beside it", "[open_files]") {
  for (int fd = 100; fd < 400; ++fd) find_open_file(fd)->file_class.store(FileClass::free);
  forget_open_files(150, 300);
  for (int fd = 100; fd < 400; ++fd) {
    const bool is_inside = fd >= 150 && fd <= 300;
    REQUIRE(find_open_file(fd)->file_class.load() == (is_inside ? FileClass::unknown : FileClass::free));
  }
  forget_open_file(399);
  CHECK(find_open_file(399)->file_class.load() == FileClass::unknown);
  CHECK(find_open_file(398)->file_class.load() == FileClass::free);
  // After a stretch of entries that were never used.
  find_open_file(101 * 64)->file_class.store(FileClass::free);
  forget_open_files(100 * 64, 101 * 64);
  CHECK(find_open_file(101 * 64)->file_class.load() == FileClass::unknown);
  forget_open_files(0, UINT32_MAX);  // close_range() without an end
  CHECK(find_open_file(100)->file_class.load() == FileClass::unknown);
}

TEST_CASE("pipes, sockets, terminals' like and files in memory are free", "[open_files]") {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  CHECK(class_of(ends[0]) == FileClass::free);
  CHECK(class_of(ends[1]) == FileClass::free);
  close(ends[0]);
  close(ends[1]);
  const int socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(class_of(socket_fd) == FileClass::free);
  close(socket_fd);
  for (const char* path : {"/dev/null", "/proc/self/status", "/"}) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    INFO(path);
    CHECK(class_of(fd) == FileClass::free);
    close(fd);
  }
  const TestFile in_memory("/dev/shm", 4'096);
  if (in_memory.fd() >= 0 && is_in_memory(in_memory.fd())) CHECK(class_of(in_memory.fd()) == FileClass::free);
}

TEST_CASE("a bad descriptor stays unknown", "[open_files]") {
  CHECK(class_of(-1) == FileClass::unknown);
  CHECK(class_of(kTableEnd - 1) == FileClass::unknown);
}

TEST_CASE("a file on a disk is charged, with its identity, size and flags", "[open_files]") {
  const TestFile plain(".", 12'345);
  REQUIRE(plain.fd() >= 0);
  if (is_in_memory(plain.fd())) {
    WARN("the build folder is in memory: nothing tested");
    return;
  }
  const auto file = std::make_unique<OpenFile>();
  classify(job_segment(), *file, plain.fd());
  struct stat status {};
  REQUIRE(fstat(plain.fd(), &status) == 0);
  CHECK(file->file_class.load() == FileClass::charged);
  CHECK(file->id == FileId{status.st_dev, status.st_ino});
  CHECK(file->size_bytes == 12'345);
  learn_details(*file, plain.fd());
  CHECK_FALSE(file->is_append);
  CHECK_FALSE(file->is_direct);
  CHECK(file->is_own);
  REQUIRE(file->device != nullptr);
  CHECK(file->device->number == status.st_dev);
  CHECK(file->device->block_bytes > 0);
  CHECK(file->state.readahead.previous_end_bytes == UINT64_MAX);
  CHECK(file->state.limits.window_pages_max == file->device->limits.window_pages_max);

  const TestFile appended(".", 0, O_APPEND);
  const auto other = std::make_unique<OpenFile>();
  classify(job_segment(), *other, appended.fd());
  learn_details(*other, appended.fd());
  CHECK(other->is_append);
  CHECK(other->device == file->device);  // the kernel is asked once, then the answer is remembered
}

TEST_CASE("what one process learns of a device it tells its job, and the next one takes it from there",
          "[open_files]") {
  using namespace discnice::protocol;
  const TestFile plain(".", 100);
  REQUIRE(plain.fd() >= 0);
  if (is_in_memory(plain.fd())) {
    WARN("the build folder is in memory: nothing tested");
    return;
  }
  struct stat status {};
  REQUIRE(fstat(plain.fd(), &status) == 0);
  const auto segment = std::make_unique<Segment>();
  // Descriptor numbers that this process has not used.
  constexpr std::uint64_t kUnknown = UINT64_C(1) << 40U;
  const auto now_ns = gray::base::monotonic_coarse_ns();
  Device* learner = device_of(*segment, plain.fd(), kUnknown);
  REQUIRE(learner != nullptr);
  DeviceFacts told;
  REQUIRE(load_device_facts(*segment, kUnknown, now_ns + 1, &told));
  CHECK(told.window_pages == learner->limits.window_pages_max);
  CHECK(told.request_pages == learner->limits.request_pages_max);

  store_device_facts(*segment, kUnknown + 1, now_ns, {77, 55, 2, 33});
  const Device* taker = device_of(*segment, plain.fd(), kUnknown + 1);
  REQUIRE(taker != nullptr);
  CHECK(taker->limits.window_pages_max == 77);
  CHECK(taker->limits.request_pages_max == 55);
  CHECK(taker->limits.folio_order_max == 2);
  CHECK(taker->counted_disk == 33);
  CHECK(taker->block_bytes > 0);
}

TEST_CASE("a file that grew is seen to have grown; a descriptor of another file is forgotten",
          "[open_files]") {
  const TestFile first(".", 100);
  const TestFile second(".", 200);
  REQUIRE(first.fd() >= 0);
  if (is_in_memory(first.fd())) {
    WARN("the build folder is in memory: nothing tested");
    return;
  }
  OpenFile* file = find_open_file(first.fd());
  REQUIRE(file != nullptr);
  forget_open_file(first.fd());
  classify(job_segment(), *file, first.fd());
  REQUIRE(ftruncate(first.fd(), 5'000) == 0);
  CHECK(refresh_size(*file, first.fd()));
  CHECK(file->size_bytes == 5'000);
  REQUIRE(dup3(second.fd(), first.fd(), O_CLOEXEC) == first.fd());  // not seen by the tested code
  CHECK_FALSE(refresh_size(*file, first.fd()));
  CHECK(file->file_class.load() == FileClass::unknown);
  classify(job_segment(), *file, first.fd());
  CHECK(file->size_bytes == 200);
}
