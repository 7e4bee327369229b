// SPDX-License-Identifier: MIT
// disk_write: what a write costs its program, what it costs to have it on the disk, and the rate of long writes.
#include <sys/stat.h>
#include <unistd.h>

#include <fcntl.h>

#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"

namespace microbench {
namespace {

constexpr std::uint64_t kLongBytes = 4 * 1024 * 1024;
constexpr int kSmallWrites = 4;

constexpr Output kOutputs[] = {
    {"disk.write_ns", "ns", "pwrite_4k", "a page written into the page cache", "tools/discnice/predictor",
     true},
    {"disk.fsync_ns", "ns", "fdatasync_4k", "until that page is on the disk",
     "a person; tools/discnice/policy", true},
    {"disk.write_bytes_per_s", "bytes/s", "fdatasync_4m", "rate of a long write, on the disk at its end",
     "tools/discnice/policy", true},
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
    for (int i = 0; i < kSmallWrites; ++i) {
      const std::uint64_t page = context().file->random()() % (kLongBytes / kPageBytes);
      const std::uint64_t start = timer.ticks();
      write_all(file_.get(), context().file->buffer(), kPageBytes, page * kPageBytes);
      add("disk.write_ns", timer.ns_since(start));
      const std::uint64_t sync_start = timer.ticks();
      sync();
      add("disk.fsync_ns", timer.ns_since(sync_start));
    }
    const std::uint64_t start = timer.ticks();
    write_all(file_.get(), context().file->buffer(), kLongBytes, 0);
    sync();
    add("disk.write_bytes_per_s", static_cast<double>(kLongBytes) * 1e9 / timer.ns_since(start));
  }

  [[nodiscard]] std::size_t rounds_max() const override { return 60; }

 private:
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
