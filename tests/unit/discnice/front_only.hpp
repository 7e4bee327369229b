// SPDX-License-Identifier: MIT
// front_only: a segment in which only the first page has memory, as when /dev/shm is full. A touch of any other page is SIGBUS.
#pragma once

#include <cstddef>

#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::test {

class FrontOnly {
 public:
  FrontOnly() {
    const int fd = memfd_create("front", MFD_CLOEXEC);
    REQUIRE(ftruncate(fd, static_cast<off_t>(protocol::kFrontBytes)) == 0);
    void* start = mmap(nullptr, sizeof(protocol::Segment), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    REQUIRE(start != MAP_FAILED);
    segment = static_cast<protocol::Segment*>(start);  // before it is filled, a segment is zero bytes
  }
  ~FrontOnly() { munmap(segment, sizeof(protocol::Segment)); }
  FrontOnly(const FrontOnly&) = delete;
  FrontOnly& operator=(const FrontOnly&) = delete;

  protocol::Segment* segment = nullptr;
};

}  // namespace discnice::test
