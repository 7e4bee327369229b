// SPDX-License-Identifier: MIT
// java_lever_test: how a JVM's list of flags is read, the ratio that brings a heap to a size, and the options that a JVM gets at its start.
//
// How: the input is texts and numbers. Left out: the effect on a JVM (bench/heapnice).
#include "tests/support/catch.hpp"

#include <cmath>

#include "tools/heapnice/java_flags.hpp"
#include "tools/heapnice/java_lever.hpp"
#include "tools/heapnice/java_start.hpp"

using namespace heapnice;

namespace {

constexpr std::uint64_t kMiB = 1U << 20U;

JavaStart started_as(std::vector<std::string> words, int release) {
  return {std::move(words), release};
}

}  // namespace

TEST_CASE("the collector and what can be moved follow from the list of flags") {
  const JavaFlags flags = parse_flags(
      "[Global flags]\n"
      "   size_t MaxHeapSize                              = 2080374784                                "
      "{product} {command line}\n"
      "    uintx MaxHeapFreeRatio                         = 70                                     "
      "{manageable} {default}\n"
      "    uintx MinHeapFreeRatio                         = 40                                     "
      "{manageable} {default}\n"
      "    uintx NewRatio                                 = 2                                         "
      "{product} {default}\n"
      "   size_t SoftMaxHeapSize                          = 2080374784                             "
      "{manageable} {ergonomic}\n"
      "     bool UseG1GC                                  = false                                     "
      "{product} {default}\n"
      "     bool UseSerialGC                              = true                                      "
      "{product} {ergonomic}\n");
  CHECK(flags.collector == Collector::serial);
  CHECK(flags.max_heap_bytes == 2080374784);
  CHECK(flags.are_ratios_manageable);
  CHECK(flags.is_soft_max_manageable);
  CHECK_FALSE(flags.is_explicit_disabled);
  CHECK(std::abs(flags.old_share - 2.0 / 3) < 1e-9);
}

TEST_CASE("a list that says nothing moves nothing") {
  for (const char* text :
       {"", "UseG1GC", "     bool UseG1GC   ", "     bool UseG1GCx = true\n", "\xff\xfe\n\n"}) {
    const JavaFlags flags = parse_flags(text);
    CHECK(flags.collector == Collector::unknown);
    CHECK_FALSE(flags.are_ratios_manageable);
  }
}

TEST_CASE("the ratio leaves the live data a heap of that size") {
  CHECK(free_ratio(500, 1000, 1) == 50);
  CHECK(free_ratio(500, 900, 2.0 / 3) == 16);  // 600 of it are the old generation
  CHECK(free_ratio(500, 500, 1) == 0);
  CHECK(free_ratio(500, 0, 1) == 0);
}

TEST_CASE("a collector that gives nothing back is named") {
  JavaAttach attach(-1);
  JavaFlags flags;
  flags.are_ratios_manageable = true;
  flags.collector = Collector::parallel;
  CHECK(JavaLever(attach, flags).obstacle().find("Parallel") != std::string::npos);
  flags.collector = Collector::g1;
  CHECK(JavaLever(attach, flags).obstacle().empty());
  flags.collector = Collector::z;
  CHECK_FALSE(JavaLever(attach, flags).obstacle().empty());
  flags.is_soft_max_manageable = true;
  CHECK(JavaLever(attach, flags).obstacle().empty());
  flags.is_explicit_disabled = true;
  CHECK_FALSE(JavaLever(attach, flags).obstacle().empty());
}

TEST_CASE("a JVM is given what it lacks, and never a second size of its heap") {
  const std::string plain = added_options(started_as({"java", "-jar", "x.jar"}, 17), 1500 * kMiB);
  CHECK(plain.find("-Xmx1500m") == 0);
  CHECK(plain.find("-XX:-ShrinkHeapInSteps") != std::string::npos);
  CHECK(plain.back() != ' ');
  CHECK(added_options(started_as({"java", "-Xmx1g"}, 17), kMiB).find("-Xmx") == std::string::npos);
  CHECK(added_options(started_as({"java", "-XX:MaxRAMPercentage=50"}, 17), kMiB).find("-Xmx") ==
        std::string::npos);
  CHECK(added_options(started_as({"java", "-Xmx1g"}, 8), kMiB).empty());
  CHECK(added_options(started_as({"java", "-Xmx1g", "-XX:+UseZGC"}, 17), kMiB) == "-XX:ZUncommitDelay=1");
  CHECK(added_options(started_as({"java", "-Xmx1g", "-XX:+UseParallelGC"}, 17), kMiB).empty());
}
