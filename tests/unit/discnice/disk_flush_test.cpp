// SPDX-License-Identifier: MIT
// disk_flush_test: how often a job flushes the disk's own cache, how many bytes are booked for a flush, and that the flush
// leaves no file open.
//
// How: the test uses a file in memory, whose file system flushes at once. Left out: disks whose flush takes long (system/discnice_giving_way,
// bench/beside).
#include "tools/discnice/transfer/disk_flush.hpp"

#include <cerrno>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

using namespace discnice;
using namespace discnice::guest;

namespace {

int lowest_descriptor() {
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(fd);
  return fd;
}

}  // namespace

TEST_CASE("a flush that nobody would feel is made more and more seldom, and leaves nothing open",
          "[disk_flush]") {
  const int fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    WARN("no /dev/shm to write to: nothing tested");
    return;
  }
  const auto segment = std::make_unique<protocol::Segment>();
  Job job{segment.get(), &segment->members[1], 1, 1, nullptr};
  protocol::Disk& disk = segment->disks[0];
  const int lowest = lowest_descriptor();
  errno = EDOM;
  flush_after_batch(job, disk, fd);
  CHECK(errno == EDOM);
  CHECK(lowest_descriptor() == lowest);
  REQUIRE(disk.own_syncs == 2);  // one for its begin, one for its end
  // At first one batch passes without a flush, then two batches, then four.
  for (int skips = 1; skips <= 4; skips *= 2) {
    const std::uint64_t before = disk.own_syncs;
    for (int i = 0; i < skips; ++i) flush_after_batch(job, disk, fd);
    CHECK(disk.own_syncs == before);
    flush_after_batch(job, disk, fd);
    CHECK(disk.own_syncs == before + 2);
  }
  close(fd);
}
