// SPDX-License-Identifier: MIT
#include "tools/discnice/notify/large_call.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace discnice::notify {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;  // no call of this machine is known
#endif

// The kernel moves no more than this in one call.
constexpr std::uint64_t kCallBytesMax = 0x7ffff000;

struct Row {
  std::uint32_t number;
  LargeCall::Kind kind;
  unsigned length_word;
  std::uint32_t large_bytes;
};

constexpr Row kRows[] = {
    {SYS_read, LargeCall::Kind::read, 2, kLargeReadBytes},
    {SYS_pread64, LargeCall::Kind::read, 2, kLargeReadBytes},
    {SYS_write, LargeCall::Kind::write, 2, kLargeWriteBytes},
    {SYS_pwrite64, LargeCall::Kind::write, 2, kLargeWriteBytes},
    {SYS_sendfile, LargeCall::Kind::read, 3, kLargeReadBytes},
    {SYS_copy_file_range, LargeCall::Kind::read, 4, kLargeReadBytes},
};

constexpr std::size_t kHeadLength = 3;
constexpr std::size_t kRowLength = 6;
constexpr std::size_t kLength = kHeadLength + std::size(kRows) * kRowLength + 2;
constexpr std::size_t kAllowAt = kLength - 2;
constexpr std::size_t kShowAt = kLength - 1;

constexpr sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

// A test at the place `at`. The filter goes on at `then` when the test succeeds, and at `otherwise` when it fails.
constexpr sock_filter branch(std::uint16_t test, std::uint32_t value, std::size_t at, std::size_t then,
                             std::size_t otherwise) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | test), value,
                  static_cast<std::uint8_t>(then - at - 1), static_cast<std::uint8_t>(otherwise - at - 1));
}

// When a filter reaches a constant after it has looked only at the call's number, the kernel remembers that result and does not run the filter again for that number
// (Linux 5.11).
constexpr std::array<sock_filter, kLength> make_filter() {
  std::array<sock_filter, kLength> filter{};
  filter[0] = load(offsetof(seccomp_data, arch));
  filter[1] = branch(BPF_JEQ, kMachine, 1, 2, kAllowAt);
  filter[2] = load(offsetof(seccomp_data, nr));
  std::size_t at = kHeadLength;
  for (const Row& row : kRows) {
    // On x86_64 and aarch64 the low half of a word comes first.
    const std::size_t low = offsetof(seccomp_data, args) + row.length_word * sizeof(std::uint64_t);
    filter[at] = branch(BPF_JEQ, row.number, at, at + 1, at + kRowLength);
    filter[at + 1] = load(low + sizeof(std::uint32_t));
    filter[at + 2] = branch(BPF_JEQ, 0, at + 2, at + 3, kShowAt);
    filter[at + 3] = load(low);
    filter[at + 4] = branch(BPF_JGE, row.large_bytes, at + 4, kShowAt, kAllowAt);
    filter[at + 5] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    at += kRowLength;
  }
  filter[kAllowAt] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[kShowAt] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  return filter;
}

constexpr std::array<sock_filter, kLength> kFilter = make_filter();

// A caller that gets a signal while it waits leaves the call and makes the call again, as in any wait. Linux 5.19 has a flag that keeps the caller in the call.
// With this flag the machine could not be suspended, and a group of processes could not be frozen.
int install() {
  const sock_fprog program{static_cast<unsigned short>(kLength), const_cast<sock_filter*>(kFilter.data())};
  constexpr unsigned kFlags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  const long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &program);
  return fd >= 0 ? static_cast<int>(fd) : -errno;
}

}  // namespace

std::optional<LargeCall> large_call_of(const seccomp_data& data) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& one) {
    return static_cast<std::uint32_t>(data.nr) == one.number;
  });
  if (row == std::end(kRows) || data.arch != kMachine) return std::nullopt;
  const auto word = [&](unsigned place) { return static_cast<std::uint64_t>(data.args[place]); };
  LargeCall call{row->kind, static_cast<int>(word(0)), std::min(word(row->length_word), kCallBytesMax)};
  switch (row->number) {
    case SYS_pread64:
    case SYS_pwrite64:
      call.is_at_position = false;
      call.offset_bytes = static_cast<std::int64_t>(word(3));
      break;
    case SYS_sendfile:
      call.fd = static_cast<int>(word(1));
      call.offset_at = word(2);
      break;
    case SYS_copy_file_range:
      call.offset_at = word(1);
      break;
    default:
      break;
  }
  return call;
}

bool may_show_calls_for_nothing() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};
  const bool is_admin = syscall(SYS_capget, &header, data) == 0 &&
                        (data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN)) != 0;
  return is_admin || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

int show_large_calls(bool may_lose_privileges) {
  if (kMachine == 0) return -ENOSYS;
  const int listener_fd = install();
  if (listener_fd != -EACCES || !may_lose_privileges) return listener_fd;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
  return install();
}

}  // namespace discnice::notify
