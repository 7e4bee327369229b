// SPDX-License-Identifier: MIT
// claims_test: calls that ask at the same time get fair shares, in the order of arrival, and dead processes keep no share.
//
// How: shares are computed from lists. Claims of several processes are in one simulated shared table. Left out:
// real processes (tests/system/mac_room_test.sh, bench/mac).
#include "tests/support/catch.hpp"

#include <cerrno>
#include <numeric>

#include "libgray/src/memory/allocator.hpp"
#include "libgray/src/memory/claims.hpp"
#include "tests/unit/libgray/simulated_memory.hpp"
#include "toolbox/base/units.hpp"

namespace simulated = gray::os::simulated;
using namespace gray::memory;
using gray::base::kMiB;

namespace {

std::vector<std::uint64_t> shares(std::uint64_t pool, const std::vector<Asker>& askers) {
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i < askers.size(); ++i) found.push_back(fair_share(pool, askers, i));
  return found;
}

Pool pool_of(std::uint64_t mebibytes) {
  Pool pool;
  pool.room_bytes = static_cast<std::int64_t>(mebibytes * kMiB);
  pool.capacity_bytes = mebibytes * kMiB;
  return pool;
}

void be(std::uint32_t process) {
  simulated::memory().process = process;
  simulated::memory().processes.insert({process, {}});
}

std::uint64_t ask_mib(Claims& claims, int claim, std::uint64_t room_mib, std::uint64_t held_mib = 0) {
  const auto look = [&] { return std::vector<Pool>{pool_of(room_mib)}; };
  Patience patience;
  return claims.allow(patience, claim, held_mib * kMiB, 1000 * kMiB, look).bytes / kMiB;
}

void set_host(std::uint64_t available_mib) {
  simulated::reset_memory();
  simulated::memory().frames = available_mib * 256;
  // Answers as the kernel would: the available memory falls as the resident memory grows.
  simulated::memory().before_read = [available_mib] {
    const std::uint64_t used_kib = simulated::memory().resident.size() * 4;
    const std::string kib = std::to_string(available_mib * 1024 - std::min(used_kib, available_mib * 1024));
    simulated::memory().texts["/proc/meminfo"] = "MemTotal: " + std::to_string(available_mib * 1024) +
                                                 " kB\nMemFree: " + kib + " kB\nMemAvailable: " + kib +
                                                 " kB\nSwapFree: 1000000 kB\n";
  };
}

// Sets the memory accounts of a host without swap to the current state.
void tell_free_memory() {
  auto& memory = simulated::memory();
  const std::uint64_t used = memory.resident.size() + memory.competitor_pages;
  const std::string kib = std::to_string((memory.frames - std::min(used, memory.frames)) * 4);
  memory.texts["/proc/meminfo"] = "MemTotal: 1024000 kB\nMemAvailable: " + kib + " kB\nSwapFree: 0 kB\n";
}

Claim claim_in(ClaimState state, std::uint64_t min_mib, std::uint64_t held_mib,
               std::uint64_t arrival_ns = 1) {
  Claim claim{};
  claim.state = static_cast<std::uint32_t>(state);
  claim.arrival_ns = arrival_ns;
  claim.min_bytes = min_mib * kMiB;
  claim.held_bytes = held_mib * kMiB;
  claim.max_bytes = std::max(claim.min_bytes, claim.held_bytes);
  return claim;
}

Claim returnable(std::uint64_t min_mib, std::uint64_t held_mib) {
  return claim_in(ClaimState::returnable, min_mib, held_mib);
}

Claim waiting(std::uint64_t min_mib, std::uint64_t arrival_ns = 1) {
  return claim_in(ClaimState::waiting, min_mib, 0, arrival_ns);
}

// The MiB that `me` should give back in a pool of 1000 MiB with this much room.
std::uint64_t wanted_mib(std::int64_t room_mib, const Claim& me, const std::vector<Claim>& others) {
  Pool pool = pool_of(1000);
  pool.room_bytes = room_mib * static_cast<std::int64_t>(kMiB);
  std::vector<Member> members;
  for (const Claim& claim : others) members.push_back({claim, true, ""});
  return (bytes_to_return({pool}, members, me) + kMiB / 2) / kMiB;
}

Request request_of(std::uint64_t min_mib, std::uint64_t max_mib) {
  Request request;
  request.min_bytes = min_mib * kMiB;
  request.max_bytes = max_mib * kMiB;
  return request;
}

}  // namespace

TEST_CASE("equal askers get equal shares, and all shares together are no more than the pool") {
  CHECK(shares(100, {{1, 10, 100}, {2, 10, 100}}) == std::vector<std::uint64_t>{50, 50});
  CHECK(shares(100, {{1, 10, 20}, {2, 10, 100}}) == std::vector<std::uint64_t>{20, 80});
  CHECK(shares(100, {{1, 70, 100}, {2, 10, 100}}) == std::vector<std::uint64_t>{70, 30});
  CHECK(shares(101, {{3, 1, 100}, {1, 1, 100}, {2, 1, 100}}) == std::vector<std::uint64_t>{33, 33, 33});
  CHECK(shares(1000, {{1, 10, 100}, {2, 10, 100}}) == std::vector<std::uint64_t>{100, 100});
}

TEST_CASE("minima are served in the order of arrival, and nobody passes one that waits") {
  CHECK(shares(100, {{2, 60, 100}, {1, 60, 100}}) == std::vector<std::uint64_t>{0, 100});
  CHECK(shares(100, {{1, 200, 300}, {2, 10, 100}}) == std::vector<std::uint64_t>{0, 0});
  CHECK(shares(0, {{1, 1, 2}}) == std::vector<std::uint64_t>{0});
}

TEST_CASE("two processes that ask at once do not count the same bytes") {
  simulated::reset_memory();
  be(1);
  Claims first("t");
  const int one = first.enter(ClaimState::asking, 10 * kMiB, 1000 * kMiB);
  CHECK(ask_mib(first, one, 100) == 100);
  be(2);
  Claims second("t");
  const int two = second.enter(ClaimState::asking, 10 * kMiB, 1000 * kMiB);
  REQUIRE(one >= 0);
  REQUIRE(two >= 0);
  CHECK(one != two);
  CHECK(ask_mib(second, two, 100) == 50);
  be(1);
  CHECK(ask_mib(first, one, 60, 40) == 50);  // it holds 40 MiB of the 100 MiB: the pool is the same
  first.change(one, ClaimState::held, 40 * kMiB, 0);
  be(2);
  CHECK(ask_mib(second, two, 60) == 60);
  be(1);
  first.leave(one);
  CHECK(simulated::memory().locks == 0);
}

TEST_CASE("what may be touched now is free, whatever share of what others hold is due to one who asks") {
  simulated::reset_memory();
  be(1);
  Claims first("t");
  const int one = first.enter(ClaimState::asking, 10 * kMiB, 1000 * kMiB);
  CHECK(ask_mib(first, one, 20, 80) == 100);
  be(2);
  Claims second("t");
  const int two = second.enter(ClaimState::asking, 10 * kMiB, 1000 * kMiB);
  Patience patience;
  Pool pool = pool_of(100);
  pool.room_bytes = 20 * std::int64_t{kMiB};
  const auto look = [&] { return std::vector<Pool>{pool}; };
  const Allowance allowance = second.allow(patience, two, 0, 1000 * kMiB, look);
  CHECK(allowance.bytes == 50 * kMiB);
  CHECK(allowance.now_bytes == 20 * kMiB);
  be(1);
  CHECK(first.allow(patience, one, 80 * kMiB, 1000 * kMiB, look).now_bytes ==
        50 * kMiB);  // never more than its share
}

TEST_CASE("while somebody gives his back, what is unclaimed is told to be uncertain") {
  simulated::reset_memory();
  be(1);
  Claims first("t");
  const int one = first.enter(ClaimState::held, 1, 40 * kMiB);
  first.change(one, ClaimState::held, 40 * kMiB, 0);
  be(2);
  Claims second("t");
  const int two = second.enter(ClaimState::asking, 1, 1000 * kMiB);
  const auto look = [&](std::uint64_t room_mib) {
    Patience patience;
    return second.allow(patience, two, 0, 1000 * kMiB, [&] { return std::vector<Pool>{pool_of(room_mib)}; });
  };
  CHECK(look(60).granted_bytes == 40 * kMiB);
  CHECK_FALSE(look(60).is_moving);
  be(1);
  first.change(one, ClaimState::leaving, 40 * kMiB, 0);
  be(2);
  CHECK(look(100).is_moving);
  be(1);
  first.leave(one);
  be(2);
  CHECK_FALSE(look(100).is_moving);
  CHECK(look(100).granted_bytes == 0);
}

TEST_CASE("a promise counts with what is still to be touched of it; other pools' claims do not") {
  simulated::reset_memory();
  be(1);
  Claims first("t");
  const int one = first.enter(ClaimState::promised, 0, 80 * kMiB);
  first.change(one, ClaimState::promised, 0, 30 * kMiB);
  be(2);
  Claims second("t");
  const int two = second.enter(ClaimState::asking, 1, 1000 * kMiB);
  CHECK(ask_mib(second, two, 100) == 70);
  Pool other = pool_of(90);
  other.kind = PoolKind::group;
  other.path = "/b";
  const auto look = [&] { return std::vector<Pool>{pool_of(1000), other}; };
  const auto allowed_mib = [&] {
    Patience patience;
    return second.allow(patience, two, 0, 1000 * kMiB, look).bytes / kMiB;
  };
  CHECK(allowed_mib() == 90);
  simulated::memory().texts["/proc/1/cgroup"] = "4:memory:/a\n";
  CHECK(allowed_mib() == 90);
  simulated::memory().texts["/proc/1/cgroup"] = "4:memory:/b/below\n";
  CHECK(allowed_mib() == 60);
}

TEST_CASE("two who come at once are never promised the same bytes") {
  simulated::reset_memory();
  be(1);
  Claims first("t");
  const int one = first.enter(ClaimState::asking, 10 * kMiB, 1000 * kMiB);
  be(2);
  Claims second("t");
  const int two = second.enter(ClaimState::asking, 10 * kMiB, 1000 * kMiB);
  const auto look = [&] { return std::vector<Pool>{pool_of(100)}; };
  const auto promise_mib = [&](Claims& claims, int claim) {
    Patience patience;
    return claims.promise(patience, claim, 1000 * kMiB, look, [](const Allowance& a) { return a.bytes; }) /
           kMiB;
  };
  CHECK(promise_mib(second, two) == 50);
  be(1);
  CHECK(promise_mib(first, one) == 50);
  be(3);
  CHECK(ask_mib(first, -1, 100) == 0);
}

TEST_CASE("a claim counts while a process of this user holds its slot") {
  simulated::reset_memory();
  be(1);
  Claims claims("t");
  claims.enter(ClaimState::asking, 60 * kMiB, 1000 * kMiB);
  be(2);
  const int two = claims.enter(ClaimState::asking, 60 * kMiB, 1000 * kMiB);
  CHECK(ask_mib(claims, two, 100) == 0);  // the first claim's minimum comes first
  SECTION("gone") {
    simulated::memory().processes.erase(1);
  }
  SECTION("the slot was given up, by another program in its place for instance") {
    simulated::memory().slots.erase(0);
  }
  SECTION("somebody else took the slot, and wrote nothing yet") {
    be(3);
    simulated::memory().slots[0] = {3, 1000 * kMiB};
    be(2);
  }
  SECTION("the process is another user's by now") {
    simulated::memory().processes[1].is_ours = false;
  }
  CHECK(ask_mib(claims, two, 100) == 100);
}

namespace {

ClaimTable& table() {
  return *reinterpret_cast<ClaimTable*>(simulated::memory().shared_files["t"].data());
}

// Writes a valid claim in the name of a process that holds a slot for this many bytes, or holds no slot.
void forge(std::size_t slot, ClaimState state, std::uint32_t pid, std::uint64_t bytes, bool is_slot_held) {
  Claim claim{static_cast<std::uint32_t>(state), pid, 0, bytes, bytes, bytes, bytes, 0, 0};
  claim.checksum = checksum_of(claim);
  table().claims[slot] = claim;
  simulated::memory().processes.insert({pid, {}});
  if (is_slot_held) simulated::memory().slots[slot] = {pid, bytes};
}

}  // namespace

TEST_CASE("what is written in another's name counts for nothing") {
  simulated::reset_memory();
  be(1);
  Claims claims("t");
  for (const ClaimState state : {ClaimState::waiting, ClaimState::asking, ClaimState::held,
                                 ClaimState::promised, ClaimState::leaving, static_cast<ClaimState>(77)})
    forge(static_cast<std::size_t>(state), state, 5, std::uint64_t{1} << 55U, false);
  CHECK(ask_mib(claims, -1, 100) == 100);
}

TEST_CASE(
    "what stands in a claim is no more than its slot was taken for, than its process holds and than the pool "
    "has") {
  simulated::reset_memory();
  be(1);
  Claims claims("t");
  const int mine = claims.enter(ClaimState::asking, 1, 1000 * kMiB);
  const auto forge_one = [](ClaimState state, std::uint64_t held_bytes) {
    forge(1, state, 5, std::uint64_t{1} << 40U, true);
    simulated::memory().slots[1].bytes = held_bytes;
  };
  forge_one(ClaimState::promised, 10 * kMiB);
  CHECK(ask_mib(claims, mine, 100) == 90);
  forge_one(ClaimState::promised, std::uint64_t{1} << 54U);
  CHECK(ask_mib(claims, mine, 100) == 0);  // the claim counts as the whole pool at most
  // The forged process asks, and claims to give back far more than it holds: those bytes do not exist.
  forge_one(ClaimState::asking, std::uint64_t{1} << 54U);
  table().claims[1].min_bytes = 0;
  table().claims[1].checksum = checksum_of(table().claims[1]);
  simulated::memory().processes[5].anonymous_bytes = 20 * kMiB;
  CHECK(ask_mib(claims, mine, 100) == 60);
  table().claims[1].pending_bytes ^= 1U;  // the claim is damaged
  CHECK(ask_mib(claims, mine, 100) == 100);
}

TEST_CASE("whatever the table holds, a process's own claims are as it knows them") {
  simulated::reset_memory();
  be(1);
  Claims claims("t");
  const int one = claims.enter(ClaimState::asking, 1, kMiB);
  claims.change(one, ClaimState::promised, 0, kMiB / 2);
  for (auto& byte : simulated::memory().shared_files["t"]) byte = 0xad;
  const int two = claims.enter(ClaimState::asking, kMiB, 1000 * kMiB);
  CHECK(one != two);
  CHECK(ask_mib(claims, two, 100) == 99);
  simulated::memory().shared_bytes = 0;
  CHECK(ask_mib(claims, two, 100) == 99);
  claims.leave(one);
  CHECK(ask_mib(claims, two, 100) == 100);
}

TEST_CASE("a lock that somebody keeps, or gives back for moments, is waited for half a second in all") {
  simulated::reset_memory();
  be(1);
  Claims claims("t");
  simulated::memory().is_lock_kept = true;
  const auto look = [&] { return std::vector<Pool>{pool_of(100)}; };
  Patience patience;
  for (int i = 0; i < 100; ++i) {
    claims.allow(patience, -1, 0, 1000 * kMiB, look);
    simulated::memory().is_lock_kept = i % 2 != 0;
  }
  CHECK(simulated::memory().clock_ns >= 450'000'000);
  CHECK(simulated::memory().clock_ns <= 600'000'000);
  // Claims can still be entered and changed while another process keeps the lock.
  simulated::memory().is_lock_kept = true;
  const int one = claims.enter(ClaimState::asking, 1, 40 * kMiB);
  REQUIRE(one >= 0);
  claims.change(one, ClaimState::promised, 0, 40 * kMiB);
  be(2);
  simulated::memory().is_lock_kept = false;
  CHECK(ask_mib(claims, -1, 100) == 60);
}

TEST_CASE("who asks and is stopped keeps what he holds, and nobody waits for him") {
  simulated::reset_memory();
  be(1);
  Claims claims("t");
  claims.enter(ClaimState::waiting, 90 * kMiB, 1000 * kMiB);
  be(2);
  const int two = claims.enter(ClaimState::asking, 60 * kMiB, 1000 * kMiB);
  CHECK(ask_mib(claims, two, 100) == 0);
  simulated::memory().processes[1].is_stopped = true;
  CHECK(ask_mib(claims, two, 100) == 100);
  simulated::memory().processes[1].is_stopped = false;
  CHECK(ask_mib(claims, two, 100) == 0);  // the first process goes on, and is first again
}

TEST_CASE("a name that is not to be had, or is lost, is tried again at the next claim") {
  simulated::reset_memory();
  be(1);
  simulated::memory().shared_forbidden = {"t"};
  Claims claims("t");
  CHECK_FALSE(claims.is_shared());
  CHECK(claims.enter(ClaimState::asking, 1, kMiB) == -1);
  CHECK(ask_mib(claims, -1, 100) == 100);
  simulated::memory().shared_forbidden = {};
  CHECK(claims.enter(ClaimState::asking, 1, kMiB) == 0);
  // The program has closed every descriptor, and this process acts for another user.
  for (const int error : {-EBADF, -EPERM}) {
    simulated::memory().shared_error = error;
    CHECK(claims.enter(ClaimState::asking, 1, kMiB) >= 0);
  }
}

TEST_CASE("a child of fork leaves its parent's claim alone") {
  simulated::reset_memory();
  be(1);
  Claims claims("t");
  const int one = claims.enter(ClaimState::promised, 0, 80 * kMiB);
  claims.change(one, ClaimState::promised, 0, 80 * kMiB);
  be(2);
  claims.leave(one);
  claims.change(one, ClaimState::held, 0, 0);
  CHECK(ask_mib(claims, -1, 100) == 20);
}

TEST_CASE("requests that make no sense are refused") {
  Request request = request_of(2, 1);
  CHECK(round_request(request) == -EINVAL);
  request = request_of(1, 2);
  request.multiple_bytes = 0;
  CHECK(round_request(request) == -EINVAL);
  request.multiple_bytes = 3 * kMiB;
  CHECK(round_request(request) == -EINVAL);
  request = {};
  request.min_bytes = 101;
  request.max_bytes = 399;
  request.multiple_bytes = 100;
  REQUIRE(round_request(request) == 0);
  CHECK(request.min_bytes == 200);
  CHECK(request.max_bytes == 300);
  request.min_bytes = request.max_bytes = ~std::uint64_t{0};
  CHECK(round_request(request) == -EINVAL);
}

TEST_CASE("a canary dies in our stead where there is no swap, and is not sent where all would die with it") {
  set_host(100);
  simulated::memory().has_swap = false;
  be(1);
  Request request = request_of(1, 40);
  request.wants_canary = true;
  Allocator allocator;
  const auto grant = allocator.allocate(request);
  REQUIRE(grant);
  CHECK(simulated::memory().canaries == 1);
  CHECK(allocator.release(grant.value().address) == 0);
  simulated::memory().frames = 10 * 256;  // the host's accounts are wrong
  CHECK(allocator.allocate(request).error() == -EAGAIN);
  CHECK(simulated::memory().deaths == 0);
  auto& texts = simulated::memory().texts;
  texts["/proc/self/cgroup"] = "0::/a\n";
  texts["/sys/fs/cgroup/a/memory.oom.group"] = "1\n";
  simulated::memory().canaries = 0;
  request.max_bytes = request.min_bytes;
  CHECK(allocator.allocate(request));
  CHECK(simulated::memory().canaries == 0);
}

TEST_CASE(
    "by time alone nothing is granted where no page can leave, for there nothing gets slow before somebody "
    "is killed") {
  for (const bool has_swap : {false, true}) {
    set_host(1000);
    simulated::memory().has_swap = has_swap;
    simulated::memory().is_put_out_known = !has_swap;  // with swap, the kernel cannot be asked
    Allocator allocator;
    Request request = request_of(1, 5000);
    request.signals = kSignalsTimeOnly;
    CHECK(allocator.allocate(request).error() == -ENODATA);
    CHECK(simulated::memory().deaths == 0);
    CHECK(simulated::memory().live_reservations_bytes == 0);
    request.signals = kSignalsAll;
    CHECK(allocator.allocate(request));
  }
}

TEST_CASE(
    "by time alone swap that answers quickly is told by its own time, of the record or of some pages put "
    "out") {
  for (const bool is_recorded : {false, true}) {
    set_host(1000);
    simulated::memory().frames = 100 * 256;
    simulated::memory().reclaim_ns = 3'000;
    simulated::memory().swap_in_ns = 3'000;
    int asked = 0;
    Allocator allocator([&] {
      ++asked;
      TouchTimes times;
      if (is_recorded) times.in_ns = 4'000;
      return times;
    });
    Request request = request_of(1, 300);
    request.signals = kSignalsTimeOnly;
    for (int i = 0; i < 2; ++i) {
      const auto grant = allocator.allocate(request);
      REQUIRE(grant);
      CHECK(grant.value().bytes <= 100 * kMiB);
      CHECK(grant.value().bytes >= 92 * kMiB);
      CHECK(allocator.release(grant.value().address) == 0);
    }
    CHECK(asked == 1);
  }
}

TEST_CASE("GRAY_MAC switches signals off by name") {
  CHECK(parse_signals(nullptr).value() == kSignalsAll);
  CHECK(parse_signals("full").value() == kSignalsAll);
  CHECK(parse_signals("time").value() == kSignalsTimeOnly);
  CHECK(parse_signals("no-stall,no-claims").value() == (kSignalsAll & ~(kSignalStall | kSignalClaims)));
  CHECK(parse_signals("no-stall,x").error() == -EINVAL);
  CHECK(parse_signals(",").error() == -EINVAL);
}

TEST_CASE("memory is granted up to the margin, in multiples, and given back once") {
  set_host(1000);
  Allocator allocator;
  Request request = request_of(100, 5000);
  request.multiple_bytes = 3 * kMiB;
  const auto grant = allocator.allocate(request);
  REQUIRE(grant);
  CHECK(grant.value().bytes % (3 * kMiB) == 0);
  CHECK(grant.value().bytes <= (1000 - 1000 / 32) * kMiB);
  CHECK(grant.value().bytes >= (1000 - 1000 / 32 - 6) * kMiB);
  CHECK(allocator.allocate(request_of(100, 200)).error() == -EAGAIN);
  CHECK(allocator.allocate(request_of(2000, 2000)).error() == -ENOMEM);
  CHECK(allocator.estimate(request_of(100, 200)).error() == -EAGAIN);
  CHECK(allocator.shrink(grant.value().address, 50 * kMiB) == 0);
  CHECK(allocator.shrink(grant.value().address, 51 * kMiB) == -EINVAL);
  CHECK(allocator.estimate(request_of(100, 200)).value().bytes == 200 * kMiB);
  CHECK(allocator.release(grant.value().address) == 0);
  CHECK(allocator.release(grant.value().address) == -EINVAL);
  CHECK(allocator.release(nullptr) == -EINVAL);
  CHECK(simulated::memory().live_reservations_bytes == 0);
  CHECK(simulated::memory().resident.empty());
}

TEST_CASE("what is no whole number of pages is granted to the byte") {
  set_host(1000);
  Allocator allocator;
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{1392}, std::uint64_t{116'000'000}}) {
    Request request;
    request.min_bytes = 1;
    request.max_bytes = bytes;
    const auto grant = allocator.allocate(request);
    REQUIRE(grant);
    CHECK(grant.value().bytes == bytes);
    CHECK(allocator.estimate(request).value().bytes == bytes);
    CHECK(allocator.release(grant.value().address) == 0);
  }
}

TEST_CASE("a waiter is served when memory comes free, and told when its time is up") {
  set_host(1000);
  Allocator allocator;
  const auto grant = allocator.allocate(request_of(100, 900));
  REQUIRE(grant);
  Request request = request_of(500, 900);
  request.timeout_ns = 3'000'000'000;
  CHECK(allocator.allocate(request).error() == -ETIMEDOUT);
  int waits = 0;
  simulated::memory().on_wait = [&] {
    if (++waits == 3) allocator.release(grant.value().address);
  };
  const auto second = allocator.allocate(request);
  REQUIRE(second);
  CHECK(second.value().bytes == 900 * kMiB);
  CHECK(waits == 3);
}

TEST_CASE("a waiter looks when its group tells, else by the clock, and not at all often") {
  constexpr std::uint64_t kSecondNs = 1'000'000'000;
  const auto waits_with = [](bool is_watch_possible, bool does_group_tell) {
    simulated::reset_memory();
    simulated::memory().is_watch_possible = is_watch_possible;
    auto& texts = simulated::memory().texts;
    texts["/proc/meminfo"] = "MemTotal: 4096000 kB\nMemAvailable: 4096000 kB\nSwapFree: 1000000 kB\n";
    texts["/proc/self/cgroup"] = "4:memory:/a\n";
    texts["/sys/fs/cgroup/memory/a/memory.limit_in_bytes"] = std::to_string(100 * kMiB) + "\n";
    texts["/sys/fs/cgroup/memory/a/memory.usage_in_bytes"] = std::to_string(80 * kMiB) + "\n";
    if (!does_group_tell) texts.erase("/sys/fs/cgroup/memory/a/memory.usage_in_bytes");
    if (!does_group_tell) texts["/proc/self/status"] = "VmRSS: 81920 kB\n";
    Allocator allocator;
    Request request = request_of(40, 40);
    request.timeout_ns = 3 * kSecondNs;
    CHECK(allocator.allocate(request).error() == -ETIMEDOUT);
    return simulated::memory().event_waits_ns;
  };
  CHECK(waits_with(false, true).empty());
  const auto told = waits_with(true, true);
  REQUIRE(told.size() >= 3);
  CHECK(told.size() <= 8);  // the last wait is for the rest of the time
  CHECK(told.front() == kSecondNs / 2);
  // 20 of 100 MiB are free after the margin, and 40 are wanted: one event is requested, at that use of memory.
  REQUIRE(simulated::memory().group_events.size() == 1);
  CHECK(std::stoull(simulated::memory().group_events[0]) == (100 - 4 - 40) * kMiB);
  const auto untold = waits_with(true, false);
  CHECK(untold.size() >= 15);
  CHECK(untold.front() == kSecondNs / 100);
  CHECK(simulated::memory().group_events.empty());
}

TEST_CASE("a hog that grows while we probe is left room, and nobody is paged out") {
  for (const bool has_swap : {true, false}) {
    set_host(1000);
    simulated::memory().has_swap = has_swap;
    simulated::memory().on_touch = [](std::uint64_t) {
      auto& memory = simulated::memory();
      // The competitor takes pages as fast as this process does.
      if (memory.competitor_pages < std::min<std::size_t>(500 * 256, memory.resident.size()))
        ++memory.competitor_pages;
    };
    simulated::memory().before_read = tell_free_memory;
    Allocator allocator;
    const auto grant = allocator.allocate(request_of(10, 5000));
    REQUIRE(grant);
    CHECK(simulated::memory().swap_outs == 0);
    CHECK(simulated::memory().deaths == 0);
    CHECK(grant.value().bytes <= 500 * kMiB);
  }
}

TEST_CASE("a hog that is still growing when all is taken gets room until it has stopped") {
  set_host(1000);
  simulated::memory().before_read = [] {
    auto& memory = simulated::memory();
    if (memory.competitor_pages < 500 * 256) memory.competitor_pages += 2 * 256;
    tell_free_memory();
  };
  Allocator allocator;
  const auto grant = allocator.allocate(request_of(10, 5000));
  REQUIRE(grant);
  CHECK(simulated::memory().competitor_pages >= 500 * 256);
  CHECK(simulated::memory().deaths == 0);
  CHECK(grant.value().bytes <= 500 * kMiB);
  CHECK(grant.value().bytes >= 400 * kMiB);
}

TEST_CASE(
    "a hog that grows by fits and starts is outlasted, too, and what it left ahead of it is taken back") {
  set_host(1000);
  simulated::memory().before_read = [] {
    auto& memory = simulated::memory();
    const std::uint64_t now_ms = memory.clock_ns / 1'000'000;
    const std::uint64_t grown_ms = now_ms / 80 * 40 + std::min<std::uint64_t>(now_ms % 80, 40);
    memory.competitor_pages = std::min<std::uint64_t>(2 * grown_ms, 500) * 256;
    tell_free_memory();
  };
  Allocator allocator;
  const auto grant = allocator.allocate(request_of(10, 5000));
  REQUIRE(grant);
  CHECK(simulated::memory().competitor_pages == 500 * 256);
  CHECK(simulated::memory().deaths == 0);
  CHECK(grant.value().bytes <= 500 * kMiB);
  CHECK(grant.value().bytes >= 400 * kMiB);
}

TEST_CASE("nothing is wanted back while there is room for all, nor of what is not returnable") {
  CHECK(wanted_mib(50, returnable(10, 200), {}) == 0);
  CHECK(wanted_mib(50, returnable(10, 200), {waiting(40)}) == 0);
  CHECK(wanted_mib(-50, claim_in(ClaimState::held, 10, 200), {waiting(40)}) == 0);
}

TEST_CASE("who waits is given what he is short of, and no more") {
  CHECK(wanted_mib(0, returnable(10, 200), {claim_in(ClaimState::asking, 80, 0)}) ==
        0);  // a process that asks is not waiting
  CHECK(wanted_mib(50, returnable(10, 200), {waiting(80)}) == 30);
  CHECK(wanted_mib(0, returnable(10, 200), {waiting(80), waiting(40, 2)}) == 120);
}

TEST_CASE("who holds most gives first, and all keep equal parts then, or their minima") {
  CHECK(wanted_mib(0, returnable(10, 300), {returnable(10, 200), waiting(100)}) == 100);
  CHECK(wanted_mib(0, returnable(10, 200), {returnable(10, 300), waiting(100)}) == 0);
  CHECK(wanted_mib(0, returnable(10, 200), {returnable(10, 300), waiting(200)}) == 50);
  CHECK(wanted_mib(0, returnable(180, 200), {returnable(10, 300), waiting(200)}) == 20);
  CHECK(wanted_mib(0, returnable(10, 100), {returnable(10, 100), returnable(10, 100), waiting(90)}) == 30);
}

namespace {

Claim with_reserve(Claim claim, std::uint64_t reserve_mib) {
  claim.reserve_bytes = reserve_mib * kMiB;
  return claim;
}

std::vector<Pool> two_pools(std::int64_t host_mib, std::int64_t group_mib) {
  std::vector<Pool> pools(2);
  pools[0].room_bytes = host_mib * static_cast<std::int64_t>(kMiB);
  pools[1].room_bytes = group_mib * static_cast<std::int64_t>(kMiB);
  return pools;
}

}  // namespace

TEST_CASE("what has to be free beside a minimum is given, too, and once for all who wait") {
  CHECK(wanted_mib(50, returnable(10, 200), {with_reserve(waiting(40), 30)}) == 20);
  CHECK(wanted_mib(0, returnable(10, 200),
                   {with_reserve(waiting(40), 30), with_reserve(waiting(50, 2), 30)}) == 120);
  CHECK(wanted_mib(0, returnable(10, 200), {with_reserve(waiting(40), 90), waiting(50, 2)}) == 130);
  // A request for more memory than the pool has.
  CHECK(wanted_mib(0, returnable(10, 200), {with_reserve(waiting(150), 90)}) == 0);
  CHECK(wanted_mib(500, returnable(10, 200), {with_reserve(waiting(40), 30)}) == 0);
}

TEST_CASE("a reserve is what the asker's own account says less than the common one, where he lacks most") {
  CHECK(reserve_for(two_pools(500, 10), two_pools(700, 106)) == 96 * kMiB);
  CHECK(reserve_for(two_pools(500, 900), two_pools(700, 1000)) == 200 * kMiB);
  CHECK(reserve_for(two_pools(500, -60), two_pools(700, 36)) == 96 * kMiB);
  CHECK(reserve_for(two_pools(500, 200), two_pools(400, 100)) ==
        0);  // it takes more of the page cache than the others do
  CHECK(reserve_for(two_pools(500, 10), {}) == 0);
  CHECK(reserve_for({}, {}) == 0);
}

TEST_CASE("a reserve in the table is no more than the slot was taken for") {
  simulated::reset_memory();
  be(1);
  Claims holder("t");
  const int one = holder.enter(ClaimState::asking, kMiB, 500 * kMiB);
  holder.change(one, ClaimState::returnable, 500 * kMiB, 0);
  be(2);
  Claims server("t");
  const int two = server.enter(ClaimState::waiting, 20 * kMiB, 20 * kMiB);
  server.ask_back(two, 100 * kMiB);
  auto& slot = simulated::memory().slots[static_cast<std::size_t>(two)];
  CHECK(slot.bytes == 100 * kMiB);
  Pool pool = pool_of(1000);
  pool.room_bytes = 0;
  const auto wanted = [&] {
    std::uint32_t generation = 0;
    be(1);
    const std::uint64_t bytes = holder.wanted_back(one, generation, [&] { return std::vector<Pool>{pool}; });
    be(2);
    return (bytes + kMiB / 2) / kMiB;
  };
  CHECK(wanted() == 120);
  slot.bytes = 30 * kMiB;
  CHECK(wanted() == 50);
  simulated::memory().is_lock_kept = true;  // by a process that asks; a holder does not need the lock
  const std::uint64_t before_ns = simulated::memory().clock_ns;
  CHECK(wanted() == 50);
  CHECK(simulated::memory().clock_ns - before_ns < 1'000);  // it did not wait
  simulated::memory().is_lock_kept = false;
  server.change(two, ClaimState::held, 20 * kMiB, 0);
  CHECK(slot.bytes == 20 * kMiB);
  CHECK(wanted() == 0);
}

TEST_CASE("nobody gives for one who cannot be served, nor for those who came after him") {
  CHECK(wanted_mib(0, returnable(100, 200), {waiting(150, 1), waiting(10, 2)}) == 0);
  CHECK(wanted_mib(0, returnable(100, 200), {waiting(60, 1), waiting(60, 2), waiting(10, 3)}) == 60);
}

TEST_CASE("what the accounts show to be missing is given back, also where nobody waits") {
  CHECK(wanted_mib(-30, returnable(10, 200), {}) == 30);
  CHECK(wanted_mib(-300, returnable(10, 200), {}) == 190);
  CHECK(wanted_mib(-30, returnable(10, 200), {claim_in(ClaimState::leaving, 0, 20)}) == 10);
}

TEST_CASE(
    "a returnable grant keeps its word through the allocator: nothing is wanted, then what one who waits "
    "lacks") {
  set_host(400);
  be(1);
  Allocator sorter;
  Request request = request_of(20, 1000);
  request.is_returnable = true;
  const auto grant = sorter.allocate(request);
  REQUIRE(grant);
  CHECK(sorter.wanted_back(grant.value().address, 0).value() == 0);
  CHECK(sorter.wanted_back(grant.value().address + 1, 0).error() == -EINVAL);
  be(2);
  Claims server(kClaimTableName);
  const int claim = server.enter(ClaimState::waiting, 100 * kMiB, 100 * kMiB);
  REQUIRE(claim >= 0);
  be(1);
  const std::uint64_t wanted = sorter.wanted_back(grant.value().address, 0).value();
  CHECK(wanted >= 99 * kMiB);
  CHECK(wanted <= 102 * kMiB);
  CHECK(sorter.shrink(grant.value().address, grant.value().bytes - wanted) == 0);
  CHECK(sorter.wanted_back(grant.value().address, 0).value() <= kMiB);
  Request endless = request_of(20, 1000);
  endless.timeout_ns = ~std::uint64_t{0};
  CHECK(sorter.allocate(endless).error() == -EDEADLK);
  CHECK(sorter.release(grant.value().address) == 0);
}

TEST_CASE(
    "who holds with room for files and one who waits without it, or the other way round, mean the same "
    "bytes") {
  set_host(400);  // a quarter is left to files, otherwise a 32nd
  be(1);
  Allocator sorter;
  Request request = request_of(200, 1000);
  request.is_returnable = true;
  bool is_waiter_for_files = false;
  SECTION("the holder leaves room for files, and one waits who does not") {
    request.has_files = true;
  }
  SECTION("one waits who wants room for files") {
    request.min_bytes = 20 * kMiB;
    is_waiter_for_files = true;
  }
  const auto grant = sorter.allocate(request);
  REQUIRE(grant);
  std::uint64_t left_bytes = grant.value().bytes;
  int waits = 0;
  simulated::memory().on_wait = [&] {
    if (++waits > 20) return;
    be(1);
    const std::uint64_t wanted = sorter.wanted_back(grant.value().address, 0).value();
    left_bytes -= wanted;
    if (wanted != 0) sorter.shrink(grant.value().address, left_bytes);
    be(2);
  };
  be(2);
  Allocator server;
  Request served = request_of(150, 150);
  served.has_files = is_waiter_for_files;
  served.timeout_ns = 10'000'000'000;
  const auto second = server.allocate(served);
  REQUIRE(second);
  const std::uint64_t margin_mib = is_waiter_for_files ? 100 : 400 / 32;
  CHECK(left_bytes <= (400 - 150 - margin_mib - 1) * kMiB);  // a little more is used, by page tables
  CHECK(left_bytes >= (400 - 150 - margin_mib - 3) * kMiB);
  CHECK(simulated::memory().deaths == 0);
}

TEST_CASE("a minimum that is just there is taken by one who waits, too") {
  set_host(400);
  Allocator allocator;
  const auto firm = allocator.allocate(request_of(200, 200));
  REQUIRE(firm);
  const std::uint64_t before_ns = simulated::memory().clock_ns;
  Request request = request_of(187, 187);
  request.timeout_ns = 3'000'000'000;
  CHECK(allocator.allocate(request));
  // The processes that give memory back might have given more.
  CHECK(simulated::memory().clock_ns - before_ns >= 200'000'000);
  CHECK(simulated::memory().clock_ns - before_ns < 3'000'000'000);
}

TEST_CASE("a minimum that is just there is taken when the time is up, and at once where nobody waits") {
  for (const std::uint64_t timeout_ns : {std::uint64_t{0}, std::uint64_t{50'000'000}}) {
    set_host(400);
    Allocator allocator;
    const auto firm = allocator.allocate(request_of(200, 200));
    REQUIRE(firm);
    Request request = request_of(187, 187);
    request.timeout_ns = timeout_ns;
    CHECK(allocator.allocate(request));
  }
}

TEST_CASE("two who ask at once with different options never touch together more than there is") {
  set_host(400);
  simulated::memory().has_swap = false;
  be(1);
  Allocator sorter;
  Allocator server;
  Request request = request_of(100, 1000);
  request.has_files = true;
  Request served = request_of(240, 240);
  bool is_come = false;
  gray::base::Result<Grant> second = gray::base::Result<Grant>::failure(-EBUSY);
  // While the sorter takes memory, the server comes and takes memory, too. The server counts its own memory first, so the sorter's account shows no free
  // memory for the sorter.
  simulated::memory().on_touch = [&](std::uint64_t) {
    if (is_come || simulated::memory().resident.size() < std::size_t{200} * 256) return;
    is_come = true;
    be(2);
    second = server.allocate(served);
    be(1);
  };
  const auto first = sorter.allocate(request);
  REQUIRE(is_come);
  CHECK(simulated::memory().deaths == 0);
  CHECK(first);
  CHECK(second.error() == -EAGAIN);
}
