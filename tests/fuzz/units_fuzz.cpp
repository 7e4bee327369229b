// SPDX-License-Identifier: MIT
// units_fuzz: reads amounts, rates and durations from any text.
// fuzz-links: toolbox_base
//
// For every text these must be true. No read goes outside of the text. A value is never above the documented bound. The first
// byte picks the reader, so that one corpus serves all three readers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "toolbox/base/units.hpp"

namespace {

using Parse = gray::base::Result<std::uint64_t> (*)(const char*, std::size_t);
constexpr Parse kReaders[] = {gray::base::parse_bytes, gray::base::parse_rate_bytes_per_s,
                              gray::base::parse_duration_ns};
constexpr std::size_t kReaderCount = sizeof(kReaders) / sizeof(kReaders[0]);
constexpr std::uint64_t kValueMax = UINT64_C(0x7fffffffffffffff);

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto value = kReaders[data[0] % kReaderCount](reinterpret_cast<const char*>(data + 1), size - 1);
  if (value && value.value() > kValueMax) std::abort();
  if (!value && value.error() >= 0) std::abort();
  return 0;
}
