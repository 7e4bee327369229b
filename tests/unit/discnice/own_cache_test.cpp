// SPDX-License-Identifier: MIT
// own_cache_test: when a job drops its pages: by its policy and its grant; which files are marked because the job has dropped their pages; and
// how much memory is unused.
//
// How: the test uses made-up grants, a segment of its own, and texts as kernels write them. Left out: the page cache and the kernel's files
// (system/discnice_cache).

#include <string>

#include "tests/support/catch.hpp"
#include "tools/discnice/outputs/memory_room.hpp"
#include "tools/discnice/policy/cache_use.hpp"
#include "tools/discnice/predictor/page_key.hpp"
#include "tools/discnice/protocol/let_go_files.hpp"
#include "tools/discnice/protocol/segment.hpp"

using namespace discnice;

namespace {

Grant grant_of(CacheUse cache) {
  Grant grant;
  grant.cache = cache;
  return grant;
}

bool find(const std::string& text, outputs::MemoryGroup* group) {
  return outputs::find_memory_group(text.data(), text.size(), group);
}

std::uint64_t key(std::uint64_t inode) {
  return predictor::page_key({7, inode}, 0);
}

}  // namespace

TEST_CASE("a job lets go of its pages where that is said", "[own_cache]") {
  Grant grant = grant_of(CacheUse::automatic);
  for (const std::uint32_t id : {policy::kNiceId, policy::kIdleId, policy::kMannersId}) {
    grant.policy_id = id;
    CHECK(policy::lets_go_of_cache(grant));
  }
  for (const std::uint32_t id : {policy::kUnlimitedId, policy::kRateWindowId}) {
    grant.policy_id = id;
    CHECK_FALSE(policy::lets_go_of_cache(grant));
  }
  CHECK_FALSE(policy::lets_go_of_cache(grant_of(CacheUse::shared)));
  CHECK(policy::lets_go_of_cache(grant_of(CacheUse::neutral)));
  CHECK(policy::lets_go_of_cache(grant_of(CacheUse::own)));
}

TEST_CASE("files that pages were let go of are known to the job, and no others", "[own_cache]") {
  const auto segment = protocol::make_private("test", Grant{}, protocol::JobOptions{1, 0, 0});
  REQUIRE(segment);
  protocol::Segment& job = *segment.value();
  CHECK_FALSE(protocol::was_let_go(job, key(1)));
  protocol::note_let_go(job, key(1));
  CHECK(protocol::was_let_go(job, key(1)));
  CHECK_FALSE(protocol::was_let_go(job, key(2)));
  int known = 0;
  constexpr int kFiles = 10'000;
  for (int i = 0; i < kFiles; ++i) protocol::note_let_go(job, key(100 + static_cast<std::uint64_t>(i)));
  for (int i = 0; i < kFiles; ++i)
    known += protocol::was_let_go(job, key(100 + static_cast<std::uint64_t>(i)));
  CHECK(known > kFiles * 9 / 10);
  int mistaken = 0;
  for (int i = 0; i < kFiles; ++i)
    mistaken += protocol::was_let_go(job, key(50'000 + static_cast<std::uint64_t>(i)));
  CHECK(mistaken == 0);
  protocol::unmap(&job);
}

TEST_CASE("the group that counts memory is found in either version", "[own_cache]") {
  outputs::MemoryGroup group;
  REQUIRE(find("12:cpu,cpuacct:/a\n9:memory:/user.slice/one\n0::/other\n", &group));
  CHECK_FALSE(group.is_unified);
  CHECK(std::string(group.path) == "/user.slice/one");
  REQUIRE(find("0::/user.slice/two:three\n", &group));
  CHECK(group.is_unified);
  CHECK(std::string(group.path) == "/user.slice/two:three");
  REQUIRE(find("3:memory,hugetlb:/\n", &group));
  CHECK(std::string(group.path) == "/");
  REQUIRE(find("0::/a\n9:memory:/b\n", &group));
  CHECK_FALSE(group.is_unified);
  CHECK_FALSE(find("", &group));
  CHECK_FALSE(find("4:memorylike:/x\n", &group));
  CHECK_FALSE(find("nonsense\n", &group));
  CHECK_FALSE(find("0::/cut off", &group));
  CHECK_FALSE(find("0::/" + std::string(outputs::kGroupPathBytesMax, 'x') + "\n", &group));
}

TEST_CASE("limits and uses of memory are numbers, or none", "[own_cache]") {
  const auto parse = [](const std::string& text, std::uint64_t* bytes) {
    return outputs::parse_memory_bytes(text.data(), text.size(), bytes);
  };
  std::uint64_t bytes = 0;
  REQUIRE(parse("4096\n", &bytes));
  CHECK(bytes == 4096);
  REQUIRE(parse("max\n", &bytes));
  CHECK(bytes == UINT64_MAX);
  CHECK_FALSE(parse("\n", &bytes));
  CHECK_FALSE(parse("x", &bytes));
  CHECK_FALSE(parse("99999999999999999999999\n", &bytes));
}

TEST_CASE("the narrowest limit says what is free", "[own_cache]") {
  const outputs::MemoryRoom machine{1000, 8000};
  CHECK(outputs::narrowed(machine, UINT64_MAX, 7000).free_bytes == 1000);
  CHECK(outputs::narrowed(machine, 4000, 3500).free_bytes == 500);
  CHECK(outputs::narrowed(machine, 4000, 3500).total_bytes == 4000);
  CHECK(outputs::narrowed(machine, 4000, 100).free_bytes == 1000);
  CHECK(outputs::narrowed(machine, 4000, 5000).free_bytes == 0);
}
