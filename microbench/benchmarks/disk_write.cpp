// SPDX-License-Identifier: MIT
// disk_write: measures how long a write takes the program, how long it takes to have the data on the disk, and the rate of long writes.
#include <sys/stat.h>
#include <unistd.h>

#include <fcntl.h>

#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"

namespace microbench {
namespace {

constexpr std::uint64_t kLongBytes = 4 * 1024 * 1024;
constexpr int kSmallWrites =
    32;  // timed together: one alone takes four times longer now and then, by what it finds in memory
constexpr int kSyncs = 4;

constexpr Output kOutputs[] = {
    {"disk.write_ns", "ns", "pwrite_4k", "a page written into the page cache", "",
     "what a write costs a program that does not wait for the disk; times the number of writes, what larger "
     "ones spare",
     true, Kind::kValue, kQuarter},
    {"disk.fsync_ns", "ns", "fdatasync_4k", "until that page is on the disk", "",
     "how often a second a program can have its data safe on the disk, as a database at each commit", true},
    {"disk.write_bytes_per_s", "bytes/s", "fdatasync_4m", "rate of a long write, on the disk at its end", "",
     "the rate a copy to this disk can reach at most: a discnice --rate above it holds nothing", true},
};

class DiskWriteSession : public Session {
 public:
  explicit DiskWriteSession(const Context& context) : Session(context) {
    if (!context.file->is_writable()) throw NotAvailable("the file is not ours: it is only read");
    file_ = make_nameless(context.file->directory(), 0);
    write_all(file_.get(), context.file->buffer(), kLongBytes, 0);
    fsync(file_.get());
  }

  void round() override {
    const gray::timing::Timer& timer = context().timer;
    std::uint64_t start = timer.now_ns();
    for (int i = 0; i < kSmallWrites; ++i) write_page();
    add("disk.write_ns", timer.ns_since(start) / kSmallWrites);
    sync();
    for (int i = 0; i < kSyncs; ++i) {
      write_page();
      start = timer.now_ns();
      sync();
      add("disk.fsync_ns", timer.ns_since(start));
    }
    start = timer.now_ns();
    write_all(file_.get(), context().file->buffer(), kLongBytes, 0);
    sync();
    add("disk.write_bytes_per_s", static_cast<double>(kLongBytes) * 1e9 / timer.ns_since(start));
  }

 private:
  void write_page() {
    const std::uint64_t page = context().file->random()() % (kLongBytes / kPageBytes);
    write_all(file_.get(), context().file->buffer(), kPageBytes, page * kPageBytes);
  }

  void sync() {
    if (fdatasync(file_.get()) != 0) throw NotAvailable("the disk does not take what is written");
  }

  gray::base::ScopedFd file_;
};

}  // namespace

extern const Benchmark kDiskWrite{"disk_write",
                                  "writes",
                                  "Overwrites of a file that is there, so that no block has to be found; on "
                                  "the disk when fdatasync returns.",
                                  Needs::kTestFile,
                                  Effort::kQuick,
                                  kOutputs,
                                  make_session<DiskWriteSession>};

}  // namespace microbench
