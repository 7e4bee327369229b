// SPDX-License-Identifier: MIT
// probe_test: the probe finds the available memory, by time alone and with the other signals, in linear time.
//
// How: the probe runs over the simulated memory, whose frames are counted. A competitor of known size, preemptions and a late hypervisor disturb it. Left out:
// real paging (bench/mac, tests/system/mac_room_test.sh).
#include "tests/support/catch.hpp"

#include "libgray/src/memory/probe.hpp"
#include "libgray/src/os/memory_os.hpp"
#include "tests/unit/libgray/simulated_memory.hpp"

namespace simulated = gray::os::simulated;
namespace os = gray::os;
using namespace gray::memory;
using gray::base::kMiB;

namespace {

constexpr std::uint64_t kPagesPerMiB = 256;

ProbeWatch counting_swap() {
  return {nullptr, [] {
            PagingCounters counters;
            counters.swapped_bytes = simulated::memory().swapped.size() * 4096;
            return counters;
          }};
}

struct Found {
  std::uint64_t mebibytes;
  ProbeEnd end;
  std::uint64_t touches;
};

Found find(std::uint64_t want_mib, const ProbeOptions& options, ProbeWatch watch = counting_swap()) {
  unsigned char* base = os::reserve_memory(want_mib * kMiB).value();
  Probe probe(base, want_mib * kMiB, options, std::move(watch));
  const ProbeEnd end = probe.grow(want_mib * kMiB);
  return {probe.held_bytes() / kMiB, end, probe.touches()};
}

ProbeOptions by_time() {
  ProbeOptions options;
  options.signals = kSignalsTimeOnly;
  return options;
}

ProbeOptions by_all() {
  return {};
}

void set_memory(std::uint64_t mebibytes, std::uint64_t competitor_mib) {
  simulated::reset_memory();
  simulated::memory().frames = mebibytes * kPagesPerMiB;
  simulated::memory().competitor_pages = competitor_mib * kPagesPerMiB;
}

}  // namespace

TEST_CASE("what is there is granted in full, and nobody is paged out") {
  for (const ProbeOptions& options : {by_time(), by_all()}) {
    set_memory(600, 50);
    const Found found = find(500, options);
    CHECK(found.mebibytes == 500);
    CHECK(found.end == ProbeEnd::reached);
    CHECK(simulated::memory().swap_outs == 0);
  }
}

TEST_CASE("beside a competitor the probe stops within 8 % below what is left, and holds it without a fault") {
  for (const std::uint64_t competitor_mib : std::vector<std::uint64_t>{0, 64, 256, 448, 462}) {
    for (const ProbeOptions& options : {by_time(), by_all()}) {
      set_memory(512, competitor_mib);
      const Found found = find(1024, options);
      const std::uint64_t left = 512 - competitor_mib;
      INFO("left " << left << " found " << found.mebibytes);
      CHECK(found.end == ProbeEnd::paging);
      CHECK(found.mebibytes <= left);
      CHECK(found.mebibytes >= left * 92 / 100 - 1);
    }
  }
}

TEST_CASE("what somebody takes while the probe is at its limit is given up, and no more") {
  for (const std::uint64_t more_pages : std::vector<std::uint64_t>{200, 500, 900}) {
    for (const ProbeOptions& options : {by_time(), by_all()}) {
      set_memory(512, 462);
      simulated::memory().on_touch = [=](std::uint64_t) {
        if (simulated::memory().swap_outs > 0)
          simulated::memory().competitor_pages = 462 * kPagesPerMiB + more_pages;
      };
      const Found found = find(1024, options);
      const double due_mib = (50 - static_cast<double>(more_pages) / kPagesPerMiB) * 31 / 32;
      INFO("due " << due_mib << " found " << found.mebibytes);
      CHECK(static_cast<double>(found.mebibytes) <= due_mib * 1.05);
      // The result is rounded down to whole MiB.
      CHECK(static_cast<double>(found.mebibytes) >= due_mib * 0.95 - 1);
    }
  }
}

TEST_CASE(
    "by time alone no page is zero while it is probed, for such ones are not swapped, and all are zero in "
    "the end") {
  for (const ProbeOptions& options : {by_time(), by_all()}) {
    set_memory(600, 0);
    std::size_t written_most = 0;
    simulated::memory().on_touch = [&](std::uint64_t) {
      written_most = std::max(written_most, simulated::memory().written.size());
    };
    CHECK(find(10, options).mebibytes == 10);
    CHECK((written_most >= 10 * kPagesPerMiB) == (options.signals == kSignalsTimeOnly));
    CHECK(simulated::memory().written.empty());
  }
}

TEST_CASE("preemption, a late hypervisor and huge pages being cleared are not taken for paging") {
  for (const ProbeOptions& options : {by_time(), by_all()}) {
    set_memory(600, 0);
    simulated::memory().robbed_every = 512;  // a host that backs memory by huge pages
    CHECK(find(300, options).mebibytes == 300);
    set_memory(600, 0);
    simulated::memory().first_touch_ns = 11'000;
    simulated::memory().robbed_touches = {100, 3000, 3300, 20000};
    CHECK(find(300, options).mebibytes == 300);
  }
}

TEST_CASE(
    "a thread that is robbed of its processor several times within one small step goes on after a pause") {
  for (const ProbeOptions& options : {by_time(), by_all()}) {
    set_memory(600, 0);
    simulated::memory().robbed_touches = {400, 405, 410, 415};
    CHECK(find(300, options).mebibytes == 300);
  }
}

TEST_CASE("by time alone a burst of slow touches that takes no page of ours is no limit") {
  set_memory(600, 0);
  for (std::uint64_t i = 0; i < 4 * 256; i += 8) simulated::memory().robbed_touches.insert(30'000 + i);
  CHECK(find(300, by_time()).mebibytes == 300);
}

TEST_CASE("a thread that is robbed now and then, at ever other places, is never taken for one at its limit") {
  for (const ProbeOptions& options : {by_time(), by_all()}) {
    set_memory(600, 0);
    for (std::uint64_t start = 30'000; start < 150'000; start += 20'000) {
      for (std::uint64_t i = 0; i < 6; ++i) simulated::memory().robbed_touches.insert(start + 5 * i);
    }
    CHECK(find(300, options).mebibytes == 300);
  }
}

TEST_CASE("with other signals on, slowness that none of them confirms is not paging") {
  set_memory(600, 0);
  simulated::memory().first_touch_ns = 100'000;  // a host that is itself short of memory
  CHECK(find(50, by_all()).mebibytes == 50);
  set_memory(600, 0);
  simulated::memory().resident_touch_ns = 3'000;  // as on an emulator
  CHECK(find(50, by_all()).mebibytes == 50);
  set_memory(600, 0);
  simulated::memory().resident_touch_ns = 3'000;
  CHECK(find(50, by_time()).mebibytes == 50);  // by_time() measures what counts as slow on this host
}

TEST_CASE("the probe stays below its allowance, and gives back when that falls") {
  set_memory(600, 0);
  std::uint64_t highest = 0;
  const Found found = find(500, by_all(),
                           {[&](std::uint64_t held_bytes) {
                              highest = std::max(highest, held_bytes);
                              return held_bytes < 200 * kMiB ? 300 * kMiB : 120 * kMiB;
                            },
                            nullptr});
  CHECK(found.end == ProbeEnd::forbidden);
  CHECK(found.mebibytes == 120);
  CHECK(highest <= 300 * kMiB);
  CHECK(simulated::memory().resident.size() == 120 * kPagesPerMiB);
}

TEST_CASE("the work grows linearly with the memory taken") {
  std::uint64_t touches[2];
  for (int i = 0; i < 2; ++i) {
    set_memory(8192, 0);
    touches[i] = find(i == 0 ? 1024 : 4096, by_all()).touches;
    CHECK(touches[i] < (i == 0 ? 1024U : 4096U) * kPagesPerMiB * 23 / 10);
  }
  CHECK(touches[1] < touches[0] * 42 / 10);
}

TEST_CASE("so it does where a hypervisor has to find each page first") {
  set_memory(4000, 0);
  simulated::memory().on_touch = [](std::uint64_t touches) {
    if (touches == 1000) simulated::memory().first_touch_ns = 150'000;
  };
  const Found found = find(1000, by_all());
  CHECK(found.end == ProbeEnd::reached);
  CHECK(found.touches < 1000 * kPagesPerMiB * 22 / 10);
}

TEST_CASE("what moves the host's counters elsewhere is not our doing while our pages are fast") {
  set_memory(600, 0);
  std::uint64_t refaults = 0;
  const Found found = find(500, by_all(), {nullptr, [&] {
                                             PagingCounters counters;
                                             counters.is_of_host = true;
                                             counters.refaults_file = refaults += 100'000;
                                             counters.swapped_bytes = refaults * 4096;
                                             return counters;
                                           }});
  CHECK(found.mebibytes == 500);
}
