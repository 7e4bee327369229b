// SPDX-License-Identifier: MIT
#include "tools/discnice/descriptor/free_pass.hpp"

namespace discnice::shim {
namespace detail {

constinit Term term;
// Every call writes it: what every call only reads lies elsewhere (start_order.ld).
alignas(64) constinit std::atomic<std::uint64_t> passed{0};

}  // namespace detail

void void_passes() {
  // 0 stands for no pass and is left out.
  if (detail::term.number.fetch_add(1, std::memory_order_relaxed) == UINT32_MAX)
    detail::term.number.fetch_add(1, std::memory_order_relaxed);
}

void begin_term(std::uint64_t ends_at_ns) {
  detail::term.ends_at_ns.store(ends_at_ns, std::memory_order_relaxed);
  void_passes();
}

Passed take_passed() {
  if (detail::passed.load(std::memory_order_relaxed) == 0) return {0, 0};
  const std::uint64_t taken = detail::passed.exchange(0, std::memory_order_relaxed);
  return {taken >> detail::kPassedCallShift, taken & detail::kPassedBytesMask};
}

void forget_passes() {
  void_passes();
  detail::passed.store(0, std::memory_order_relaxed);
}

}  // namespace discnice::shim
