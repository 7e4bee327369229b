// SPDX-License-Identifier: MIT
// outputs_test: how the kernel's files about disks, mounts and pressure are read.
//
// How: the code reads texts as kernels write them, whole and in pieces, and wrong texts. Left out: the files themselves
// (system tests).
#include <string>

#include "tests/support/catch.hpp"
#include "tools/discnice/outputs/disk_below.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"
#include "tools/discnice/outputs/io_pressure.hpp"
#include "tools/discnice/outputs/run_delay.hpp"

using namespace discnice;
using namespace discnice::outputs;

namespace {

const std::string kMounts =
    "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n"
    "36 21 0:31 /@home /home rw shared:2 master:7 - btrfs /dev/sda2 rw,subvol=/@home\n"
    "40 21 0:45 / /merged rw - overlay overlay rw,lowerdir=/l/a\\072b:/l/c,upperdir=/up\\040per,workdir=/w\n"
    "41 21 0:46 / /only rw - overlay overlay rw,lowerdir=/l/first:/l/second\n"
    "360 21 0:50 / /net rw - nfs4 host:/export rw\n"
    "42 21 0:51 / /- rw - fuse - rw\n";

MountSearch searched(std::uint64_t id, const std::string& text = kMounts, std::size_t piece = SIZE_MAX) {
  MountSearch search(id);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::min(piece, text.size() - at);
    search.feed(text.data() + at, length);
    at += length;
  }
  return search;
}

}  // namespace

TEST_CASE("the table of mounts tells where a mount is", "[outputs]") {
  CHECK(std::string(searched(42).point()) == "/-");
  CHECK(std::string(searched(360, kMounts, 1).point()) == "/net");
}

TEST_CASE("the counters of a disk are read from its stat file, of old kernels and of new ones", "[outputs]") {
  const std::string old_kernel =
      "   1000      20   80000    1500     300      40   24000     900        2    1200    2400\n";
  const std::string new_kernel = "1000 20 80000 1500 300 40 24000 900 2 1200 2400 0 0 0 0 17 3\n";
  for (const std::string& text : {old_kernel, new_kernel}) {
    DiskSample sample;
    REQUIRE(parse_disk_sample(text.data(), text.size(), &sample));
    CHECK(sample.reads == 1000);
    CHECK(sample.read_bytes == 80'000 * 512);
    CHECK(sample.read_ms == 1500);
    CHECK(sample.writes == 300);
    CHECK(sample.written_bytes == 24'000 * 512);
    CHECK(sample.in_flight == 2);
  }
}

TEST_CASE("a stat file tells of flushes where the kernel counts them", "[outputs]") {
  DiskSample sample;
  const std::string newer = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 77 17\n";
  REQUIRE(parse_disk_sample(newer.data(), newer.size(), &sample));
  CHECK(sample.flushes == 77);
  const std::string older = "1 2 3 4 5 6 7 8 9 10 11\n";
  REQUIRE(parse_disk_sample(older.data(), older.size(), &sample));
  CHECK(sample.flushes == 0);
}

TEST_CASE("of what is under way the reads stand in front", "[outputs]") {
  const auto reads = [](const std::string& text) { return parse_reads_in_flight(text.data(), text.size()); };
  CHECK(reads("       3       12\n") == 3);
  CHECK(reads("0 5\n") == 0);
  CHECK(reads("") == 0);
}

TEST_CASE("a text that is no stat file is refused", "[outputs]") {
  for (const std::string text :
       {"", "\n", "1 2 3", "1 2 3 4 5 6 7 8 9", "-1 2 3 4 5 6 7 8 9 ", "a b c d e f g h i "}) {
    DiskSample sample;
    INFO("'" << text << "'");
    CHECK_FALSE(parse_disk_sample(text.data(), text.size(), &sample));
  }
}

TEST_CASE("the table of mounts tells the source of a mount, however it comes in pieces", "[outputs]") {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    CHECK(std::string(searched(36, kMounts, piece).source()) == "/dev/sda2");
    CHECK(std::string(searched(21, kMounts, piece).source()) == "/dev/sda1");
    CHECK(std::string(searched(360, kMounts, piece).source()) == "host:/export");
    CHECK(std::string(searched(42, kMounts, piece).source()) == "-");
  }
}

TEST_CASE("an overlay's files lie below its upper folder, or its first lower one", "[outputs]") {
  CHECK(std::string(searched(40).folder()) == "/up per");
  CHECK(std::string(searched(41).folder()) == "/l/first");
  CHECK(std::string(searched(21).folder()).empty());
}

TEST_CASE("a mount that is not in the table is not found", "[outputs]") {
  for (const std::uint64_t id : {UINT64_C(0), UINT64_C(3), UINT64_C(999)})
    CHECK_FALSE(searched(id).is_found());
  CHECK_FALSE(searched(36, "36 21 0:31 / /home rw\n").is_found());
  CHECK_FALSE(searched(36, "").is_found());
}

TEST_CASE("a name that is too long is left out, and harms nothing behind it", "[outputs]") {
  const std::string long_name(5000, 'x');
  const std::string mounts = "36 21 0:31 / /home rw - overlay overlay rw,lowerdir=/" + long_name +
                             ":/c,upperdir=/" + long_name +
                             ",workdir=/w\n37 21 0:32 / /b rw - btrfs /dev/sdb rw\n";
  REQUIRE(searched(36, mounts).is_found());
  CHECK(std::string(searched(36, mounts).folder()).empty());
  CHECK(std::string(searched(37, mounts).source()) == "/dev/sdb");
}

TEST_CASE("the pressure on disks is read from its file", "[outputs]") {
  const std::string text =
      "some avg10=0.55 avg60=0.20 avg300=0.56 total=5303666\nfull avg10=0.00 avg60=0.06 avg300=0.49 "
      "total=4622578\n";
  std::uint64_t stalled_ns = 0;
  REQUIRE(parse_io_pressure(text.data(), text.size(), &stalled_ns));
  CHECK(stalled_ns == 5'303'666'000);
}

TEST_CASE("how long a thread has waited for a processor is the second number", "[outputs]") {
  const std::string text = "4711 67200 1\n";
  std::uint64_t delay_ns = 0;
  REQUIRE(parse_run_delay(text.data(), text.size(), &delay_ns));
  CHECK(delay_ns == 67200);
  for (const std::string& wrong : {std::string(""), std::string("4711"), std::string("4711 "),
                                   std::string("4711 672"), std::string(" 1 2 3"), std::string("a b c")})
    CHECK_FALSE(parse_run_delay(wrong.data(), wrong.size(), &delay_ns));
}

TEST_CASE("a text that tells no pressure is refused", "[outputs]") {
  for (const std::string text : {"", "some", "some avg10=0.55\n", "some avg10=1 total=\n", "full total=7\n",
                                 "some avg10=1\nfull total=7\n"}) {
    std::uint64_t stalled_ns = 0;
    INFO("'" << text << "'");
    CHECK_FALSE(parse_io_pressure(text.data(), text.size(), &stalled_ns));
  }
}
