// SPDX-License-Identifier: MIT
// claims_fuzz: a process asks for memory while the table of claims has any content.
// fuzz-links: gray_memory simulated_host toolbox_base
//
// The input gives the kernel's answers (which process holds which slot and for how many bytes, the user and the memory of each process, the free memory
// of two pools), the content of the table, with right or wrong checksums, and the operations. For every input these must be true. Nothing is read outside
// of the table. The wait for the lock is bounded. The allowed bytes are within the kernel's numbers: the table alone does not change this number, and
// a slot changes it by at most the bytes of the slot's claim.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "libgray/src/memory/claims.hpp"
#include "tests/unit/libgray/simulated_memory.hpp"

namespace {

using namespace gray::memory;
namespace simulated = gray::os::simulated;

constexpr std::uint32_t kSelf = 1;
// The numbers of other processes begin at 2. 0 is a process that has no number here.
constexpr std::uint32_t kProcesses = 4;
constexpr std::size_t kSlotsMax = 12;
constexpr std::size_t kOperationsMax = 24;
constexpr std::uint64_t kCapacityMax = std::uint64_t{1} << 44U;
// This time is shorter than in a real call, because each retry also takes real time here.
constexpr std::uint64_t kPatienceNs = 2'000'000;
constexpr std::uint64_t kWaitMaxNs = 2 * kPatienceNs;

void check(bool holds) {
  if (!holds) std::abort();
}

// The input, taken in pieces. A used-up input gives zeroes.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  [[nodiscard]] bool is_empty() const { return left_ == 0; }
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    take(&value, bytes);
    return value;
  }
  void take(void* to, std::size_t bytes) {
    bytes = std::min(bytes, left_);
    if (bytes != 0) std::memcpy(to, data_, bytes);
    data_ += bytes;
    left_ -= bytes;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

// The answers of the kernel.
struct Host {
  std::vector<Pool> pools;
  std::uint64_t slot_bytes = 0;  // of all slots that count; each slot counts up to the larger pool
  std::uint64_t held_bytes = 0;  // the part of slot_bytes that the slots' processes really hold
};

Host make_host(Input& input) {
  Host host;
  auto& memory = simulated::memory();
  memory.process = kSelf;
  memory.processes.clear();
  memory.processes[kSelf];
  for (std::uint32_t pid = 2; pid < 2 + kProcesses; ++pid) {
    const std::uint64_t flags = input.number(1);
    if ((flags & 7U) == 7U) continue;  // the process is gone
    memory.processes[pid] = {(flags & 8U) == 0, (flags & 16U) != 0, input.number(6)};
    memory.texts["/proc/" + std::to_string(pid) + "/cgroup"] = (flags & 32U) != 0 ? "0::/a/b\n" : "0::/c\n";
  }
  for (const PoolKind kind : {PoolKind::host, PoolKind::group}) {
    Pool pool;
    pool.kind = kind;
    pool.path = kind == PoolKind::group ? "/a" : "";
    pool.capacity_bytes = 1 + input.number(6) % kCapacityMax;
    pool.room_bytes = static_cast<std::int64_t>(input.number(6) % (pool.capacity_bytes + 1));
    if ((input.number(1) & 1U) != 0) pool.room_bytes -= static_cast<std::int64_t>(pool.capacity_bytes / 2);
    host.pools.push_back(pool);
  }
  const std::uint64_t most_bytes = std::max(host.pools[0].capacity_bytes, host.pools[1].capacity_bytes);
  for (std::size_t count = input.number(1) % (kSlotsMax + 1); count > 0; --count) {
    const std::size_t slot = input.number(1) % kClaimsMax;
    const auto pid = static_cast<std::uint32_t>(input.number(1) % (2 + kProcesses));
    if (pid == kSelf || memory.slots.count(slot) != 0) continue;
    const std::uint64_t bytes = input.number(7);
    memory.slots[slot] = {pid, std::min(bytes >> input.number(1) % 56U, gray::os::kSlotBytesMax)};
    const auto process = memory.processes.find(pid);
    if (pid != 0 && (process == memory.processes.end() || !process->second.is_ours)) continue;
    const std::uint64_t counted_bytes = std::min(memory.slots[slot].bytes, most_bytes);
    host.slot_bytes += counted_bytes;
    if (pid != 0) host.held_bytes += std::min(counted_bytes, process->second.anonymous_bytes);
  }
  return host;
}

// Writes random bytes, a claim with random fields, or a valid claim.
void write_table(Input& input) {
  auto* table = reinterpret_cast<ClaimTable*>(simulated::memory().shared_files["t"].data());
  const std::uint64_t how = input.number(1);
  if (how % 4 == 0) {
    const std::size_t place = input.number(2) % sizeof(ClaimTable);
    input.take(reinterpret_cast<char*>(table) + place, std::min(sizeof(ClaimTable) - place, std::size_t{64}));
    return;
  }
  Claim claim{};
  input.take(&claim, sizeof claim);
  if (how % 4 != 1) {
    claim.state = 1 + claim.state % 6;
    claim.pid %= 2 + kProcesses;
    claim.checksum = checksum_of(claim);
  }
  std::size_t slot = (how / 4) % kClaimsMax;
  const auto& slots = simulated::memory().slots;
  if (how % 4 == 3 && !slots.empty()) {  // use a held slot, and the process that holds it
    const auto held = std::next(slots.begin(), static_cast<std::ptrdiff_t>(slot % slots.size()));
    slot = held->first;
    if (held->second.pid != 0) claim.pid = held->second.pid;
    claim.checksum = checksum_of(claim);
  }
  table->claims[slot] = claim;
}

class Applicant {
 public:
  explicit Applicant(const Host& host) : host_(host), claims_("t") {}

  void act(Input& input) {
    const std::uint64_t what = input.number(1);
    const std::uint64_t bytes = input.number(6);
    switch (what % 8) {
      case 0:
        write_table(input);
        break;
      case 1:
        enter(static_cast<ClaimState>(1 + what / 8 % 2), bytes, input.number(6));
        break;
      case 2:
      case 3:
        ask(bytes, input.number(6));
        break;
      case 4:
        promise(bytes);
        break;
      case 5:
        claims_.change(claim_, static_cast<ClaimState>(1 + what / 8 % 6), bytes, input.number(6));
        break;
      case 6:
        give_or_leave(what / 8 % 4, bytes);
        break;
      default:
        simulated::memory().is_lock_kept = what / 8 % 2 != 0;
        simulated::memory().shared_bytes = what / 16 % 2 != 0 ? bytes % sizeof(ClaimTable) : SIZE_MAX;
    }
  }

 private:
  void enter(ClaimState state, std::uint64_t min_bytes, std::uint64_t max_bytes) {
    const int claim = claims_.enter(state, min_bytes, max_bytes);
    check(claim >= -1 && claim < static_cast<int>(kClaimsMax));
    if (claim < 0) return;
    check(claim != claim_ || is_left_);  // an applicant never gets its own claim a second time
    claim_ = claim;
    is_left_ = false;
  }

  // The caller is a process without a claim. Only for such a process the bounds depend on the kernel's numbers alone.
  void ask(std::uint64_t held_bytes, std::uint64_t max_bytes) {
    held_bytes %= kCapacityMax;
    const std::uint64_t before_ns = simulated::memory().clock_ns;
    const auto look = [this] { return host_.pools; };
    const Allowance allowance = claims_.allow(patience_, -1, held_bytes, max_bytes, look);
    check(simulated::memory().clock_ns - before_ns <= kWaitMaxNs);
    check(allowance.bytes <= max_bytes);
    check(allowance.askers >= 1 && allowance.askers <= kClaimsMax + 1);
    if (claim_ >= 0) return;
    std::int64_t least = static_cast<std::int64_t>(max_bytes);
    for (const Pool& pool : host_.pools) {
      const std::int64_t bytes = pool.room_bytes + static_cast<std::int64_t>(held_bytes);
      least = std::min(least, bytes);
      check(allowance.bytes <=
            static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)) + host_.held_bytes);
    }
    const std::int64_t sure_bytes = least - static_cast<std::int64_t>(host_.slot_bytes);
    check(sure_bytes <= 0 || allowance.bytes >= static_cast<std::uint64_t>(sure_bytes));
  }

  void promise(std::uint64_t max_bytes) {
    std::uint64_t allowed_bytes = 0;
    const auto look = [this] { return host_.pools; };
    const auto cut = [&](const Allowance& allowance) { return allowed_bytes = allowance.bytes / 2; };
    const std::uint64_t bytes = claims_.promise(patience_, claim_, max_bytes, look, cut);
    check(bytes == allowed_bytes);
  }

  void give_or_leave(std::uint64_t what, std::uint64_t bytes) {
    if (what == 1) {
      claims_.ask_back(claim_, bytes);
    } else if (what == 2) {
      const std::uint64_t before_ns = simulated::memory().clock_ns;
      std::uint32_t generation = 0;
      const auto look = [this] { return host_.pools; };
      const std::uint64_t wanted_bytes = claims_.wanted_back(claim_, generation, look);
      check(simulated::memory().clock_ns - before_ns <= kWaitMaxNs);
      check(wanted_bytes <= gray::os::kSlotBytesMax);  // no more than a claim holds
    } else {
      claims_.leave(claim_);
      is_left_ = true;
    }
  }

  const Host& host_;
  Claims claims_;
  Patience patience_{kPatienceNs};
  int claim_ = -1;
  bool is_left_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  simulated::reset_memory();
  Input input(data, size);
  const Host host = make_host(input);
  Applicant applicant(host);
  for (std::size_t i = 0; i < kOperationsMax && !input.is_empty(); ++i) applicant.act(input);
  check(simulated::memory().locks == 0);
  check(simulated::memory().clock_ns <= kWaitMaxNs);
  return 0;
}
