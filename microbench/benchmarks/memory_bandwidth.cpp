// SPDX-License-Identifier: MIT
// memory_bandwidth: measures copying, and allocating and zeroing by the kernel, on blocks larger than any cache.
#include <cstring>

#include "microbench/mapping.hpp"
#include "microbench/registry_list.hpp"

namespace microbench {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024 * 1024;

constexpr Output kOutputs[] = {
    {"memory.copy_bytes_per_s", "bytes/s", "memcpy", "rate of a long copy, each byte counted once",
     "tools/gbp, libgray/src/filecache", "", false, Kind::kValue, kCalmRate},
    {"memory.allocate_bytes_per_s", "bytes/s", "populate", "rate at which the kernel allocates and zeroes",
     "",
     "what a program gains that keeps a buffer in place of giving it back: against memory.copy_bytes_per_s",
     false},
};

// Keeps the compiler from removing work whose result is not used.
void use(const char* data) {
  asm volatile("" : : "r"(data) : "memory");
}

class MemoryBandwidthSession : public Session {
 public:
  explicit MemoryBandwidthSession(const Context& context)
      : Session(context), from_(kBlockBytes), to_(kBlockBytes) {
    std::memset(from_.data(), 1, kBlockBytes);
    std::memset(to_.data(), 2, kBlockBytes);
  }

  void round() override {
    add("memory.copy_bytes_per_s", rate([this] { std::memcpy(to_.data(), from_.data(), kBlockBytes); }));
    use(to_.data());
    // A quarter is enough: giving memory back costs time as well, and is not counted.
    const std::uint64_t start = context().timer.now_ns();
    const Mapping fresh(kBlockBytes / 4, MAP_POPULATE);
    add("memory.allocate_bytes_per_s",
        static_cast<double>(fresh.bytes()) * 1e9 / context().timer.ns_since(start));
  }

 private:
  template <typename Work>
  double rate(Work work) {
    const std::uint64_t start = context().timer.now_ns();
    work();
    return static_cast<double>(kBlockBytes) * 1e9 / context().timer.ns_since(start);
  }

  Mapping from_;
  Mapping to_;
};

}  // namespace

extern const Benchmark kMemoryBandwidth{
    "memory_bandwidth",
    "memory bandwidth",
    "memcpy of libc over blocks larger than the processor's caches; populating a fresh mapping.",
    Needs::kNothing,
    Effort::kQuick,
    kOutputs,
    make_session<MemoryBandwidthSession>};

}  // namespace microbench
