// SPDX-License-Identifier: MIT
// discnice_models_fuzz: the predictor under any sequence of calls and any answers about the page cache.
// fuzz-links: discnice_predictor
// fuzz-share: 10
//
// A program may read, write and truncate with any numbers, and the kernel's answer about resident pages may change
// between two questions. For every input these must be true. Every call ends after a bounded number of questions about
// stretches that exist. A read beyond the end of the file fetches nothing. No more bytes can be given back than were
// charged. Devices, folios and the kernel's rules of read-ahead take any values, too.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tools/discnice/predictor/predictor.hpp"

namespace {

using namespace discnice;
using namespace discnice::predictor;

constexpr std::uint64_t kFilePagesMax = UINT64_C(1) << 14;  // keeps the number of windows small
constexpr std::uint64_t kQuestionsMax = 64 * kFilePagesMax;
constexpr std::size_t kStepsMax = 256;
constexpr std::uint32_t kFolioOrderMax = 9;  // a folio of two megabytes

// The input, taken in pieces. A used-up input gives zeroes.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  [[nodiscard]] bool is_empty() const { return left_ == 0; }
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    if (bytes > left_) bytes = left_;
    std::memcpy(&value, data_, bytes);
    data_ += bytes;
    left_ -= bytes;
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

UpdateRegions::Memory memory;  // this test never uses its second part

struct World {
  Input input;
  std::uint64_t questions = 0;
  FileState file{};
  CacheShape shape{};
  UpdateRegions regions{memory};
  std::uint64_t now_ns = 1;
  std::uint64_t charged_pages = 0;
};

void require(bool is_true) {
  if (!is_true) std::abort();
}

std::uint64_t count(void* context, std::uint64_t first_page, std::uint64_t page_count) {
  auto& world = *static_cast<World*>(context);
  require(++world.questions <= kQuestionsMax);
  require(page_count > 0 && first_page + page_count > first_page);
  const std::uint64_t dice = world.input.number(1);
  if (dice < 64) return 0;
  return dice < 128 ? page_count : dice % (page_count + 1);
}

Answer probe(void* context, std::uint64_t /*page*/) {
  auto& world = *static_cast<World*>(context);
  require(++world.questions <= kQuestionsMax);
  return static_cast<Answer>(world.input.number(1) % 3);
}

void run_step(World& world) {
  const std::uint64_t what = world.input.number(1);
  const ResidencyOracle oracles[] = {{&world, count, nullptr}, {&world, nullptr, probe}, {}};
  const ResidencyOracle& oracle = oracles[(what >> 4U) % 3];
  IoOp op{OpKind::read, {1, what >> 6U}, world.input.number(8), world.input.number(8), 0, (what & 8U) != 0};
  op.file_size_bytes = world.input.number(8);
  world.now_ns += world.input.number(2) << 20U;
  world.questions = 0;
  switch (what & 7U) {
    case 0:
      world.file.limits = {
          world.input.number(2), world.input.number(2),
          static_cast<std::uint32_t>(world.input.number(1) % (kFolioOrderMax + 1)),
          static_cast<gray::base::ReadaheadRules>(world.input.number(1) & gray::base::kAllReadaheadRules)};
      break;
    case 1:
    case 2: {
      const IoEstimate estimate = estimate_write(op, world.file, world.regions, oracle, world.now_ns);
      world.charged_pages += op.is_direct ? 0 : estimate.write_bytes / kPageBytes;
      break;
    }
    case 3: {
      const std::uint64_t refund_bytes = estimate_remove(op, world.regions, world.now_ns).refund_bytes;
      world.charged_pages -= refund_bytes / kPageBytes;
      break;
    }
    case 4:
      world.regions.clear(op.file);
      break;
    case 5: {
      op.file_size_bytes %= kFilePagesMax * kPageBytes;
      const std::uint64_t pages = estimate_announced_read(op, world.file, oracle).read_bytes / kPageBytes;
      require(pages <= kFilePagesMax && world.questions <= 1);
      break;
    }
    default:
      op.file_size_bytes %= kFilePagesMax * kPageBytes;
      const IoEstimate estimate = estimate_read(op, world.file, world.shape, oracle, world.now_ns);
      require(estimate.write_bytes == 0 && estimate.refund_bytes == 0);
      require(op.offset_bytes < op.file_size_bytes || estimate.read_bytes == 0);
      break;
  }
  // Pages that may still be given back must have been charged before.
  require(world.regions.dirty_pages() <= world.charged_pages);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::memset(static_cast<void*>(&memory), 0, sizeof memory - UpdateRegions::kRestingBytes);
  World world{Input(data, size)};
  for (std::size_t step = 0; step < kStepsMax && !world.input.is_empty(); ++step) run_step(world);
  return 0;
}
