// SPDX-License-Identifier: MIT
// announced_read_test: the bytes that the kernel fetches for a program that announces a read, within a window or a request of the device.
//
// How: the page cache is a list. Left out: the kernel itself (system/discnice_announced_test.sh).
#include "tests/support/catch.hpp"
#include "tests/unit/discnice/simulated_file.hpp"

#include "tools/discnice/predictor/predictor.hpp"

namespace discnice::predictor {
namespace {

constexpr std::uint64_t kFilePages = 1000;

struct Announced {
  test::SimulatedFile cache{kFilePages * kPageBytes - 100};
  FileState file;

  Announced() { file.limits = {.window_pages_max = 32, .request_pages_max = 320}; }
  std::uint64_t pages(std::uint64_t offset_bytes, std::uint64_t length_bytes) {
    const IoOp op{OpKind::read, {1, 2}, offset_bytes, length_bytes, cache.size_bytes()};
    return estimate_announced_read(op, file, cache.counting()).read_bytes / kPageBytes;
  }
};

}  // namespace

TEST_CASE("the pages of an announced range that are not in memory are fetched", "[announced]") {
  Announced announced;
  CHECK(announced.pages(0, 100 * kPageBytes) == 100);
  CHECK(announced.pages(kPageBytes - 1, 2) == 2);
  announced.cache.set(10, 60);
  CHECK(announced.pages(0, 100 * kPageBytes) == 50);
  CHECK(announced.pages(10 * kPageBytes, 50 * kPageBytes) == 0);
}

TEST_CASE("one announcement fetches no more than the larger of a window and a request", "[announced]") {
  Announced announced;
  CHECK(announced.pages(0, 900 * kPageBytes) == 320);
  announced.cache.set(0, 100);
  CHECK(announced.pages(0, 900 * kPageBytes) == 220);
  announced.file.limits.window_pages_max = 2048;
  CHECK(announced.pages(0, 900 * kPageBytes) == 800);
}

TEST_CASE("nothing is fetched behind the end of the file, and without a length all up to it", "[announced]") {
  Announced announced;
  announced.file.limits.window_pages_max = 2048;
  CHECK(announced.pages(990 * kPageBytes, 100 * kPageBytes) == 10);
  CHECK(announced.pages(990 * kPageBytes, 0) == 10);
  CHECK(announced.pages(kFilePages * kPageBytes, 0) == 0);
  CHECK(announced.pages(0, UINT64_MAX) == kFilePages);
}

TEST_CASE("nothing is predicted where the question itself would fetch", "[announced]") {
  Announced announced;
  const IoOp op{OpKind::read, {1, 2}, 0, kPageBytes, announced.cache.size_bytes()};
  CHECK(estimate_announced_read(op, announced.file, announced.cache.probing()).read_bytes == 0);
  CHECK(announced.cache.questions() == 0);
}

}  // namespace discnice::predictor
