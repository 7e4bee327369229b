// SPDX-License-Identifier: MIT
// large_call_test: the kernel reports calls from a certain length on, and no others. The request of a call is read correctly from its
// arguments.
//
// How: the calls of a child are reported. The child makes some calls just below and just above each limit, and the parent takes the reported
// calls.
#include "tools/discnice/notify/large_call.hpp"

#include <array>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

#include "tools/discnice/notify/listener.hpp"

namespace discnice::notify {
namespace {

std::array<char, 4 * kLargeReadBytes> block;

// The calls of a child that the kernel has reported to the parent. Each call goes on at once. Empty if the kernel reports none.
std::vector<LargeCall> shown_of(void (*make_calls)()) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const int shown = show_large_calls(true);
    [[maybe_unused]] const ssize_t written = write(ends[1], &shown, sizeof shown);
    if (shown >= 0) make_calls();
    _exit(0);
  }
  int shown = -1;
  REQUIRE(read(ends[0], &shown, sizeof shown) == static_cast<ssize_t>(sizeof shown));
  std::vector<LargeCall> calls;
  const int process = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  const int fd = shown < 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_getfd, process, shown, 0));
  if (fd >= 0) {
    TakenCalls taken;
    Listener listener(fd, taken);
    pollfd wanted{fd, POLLIN, 0};
    seccomp_notif one{};
    while (poll(&wanted, 1, 5000) > 0 && (wanted.revents & POLLIN) != 0 && listener.receive(one)) {
      const auto call = large_call_of(one.data);
      REQUIRE(call);
      calls.push_back(*call);
      CHECK(listener.is_waiting(one.id));
      listener.let_go(one.id);
      CHECK_FALSE(listener.is_waiting(one.id));
    }
  }
  waitpid(child, nullptr, 0);
  for (const int used : {ends[0], ends[1], process})
    if (used >= 0) close(used);
  return calls;
}

}  // namespace

TEST_CASE("large calls are shown and small ones are not") {
  const std::vector<LargeCall> calls = shown_of([] {
    const int zero = open("/dev/zero", O_RDONLY);
    const int null = open("/dev/null", O_WRONLY);
    [[maybe_unused]] ssize_t done = read(zero, block.data(), kLargeReadBytes - 1);
    done = read(zero, block.data(), kLargeReadBytes);
    done = pread(zero, block.data(), kLargeReadBytes + 1, 77);
    done = write(null, block.data(), kLargeWriteBytes - 1);
    done = write(null, block.data(), kLargeWriteBytes);
    done = pwrite(null, block.data(), kLargeWriteBytes, 78);
    done = syscall(SYS_read, -7, block.data(), SIZE_MAX);  // lengths have 64 bits
    done = syscall(SYS_read, -8, block.data(), std::size_t{1} << 32U);
    off_t at = 5;
    done = sendfile(null, zero, &at, kLargeReadBytes);
    loff_t from = 1;
    done = copy_file_range(zero, &from, null, nullptr, kLargeReadBytes, 0);
    getppid();
  });
  if (calls.empty()) {
    WARN("the kernel shows no calls here");
    return;
  }
  REQUIRE(calls.size() == 8);
  CHECK(calls[0].kind == LargeCall::Kind::read);
  CHECK(calls[0].bytes == kLargeReadBytes);
  CHECK(calls[0].is_at_position);
  CHECK_FALSE(calls[1].is_at_position);
  CHECK(calls[1].offset_bytes == 77);
  CHECK(calls[2].kind == LargeCall::Kind::write);
  CHECK(calls[2].is_at_position);
  CHECK(calls[3].offset_bytes == 78);
  CHECK(calls[4].fd == -7);
  CHECK(calls[4].bytes == 0x7ffff000);
  CHECK(calls[5].fd == -8);
  for (const std::size_t copy : {6U, 7U}) {
    CHECK(calls[copy].kind == LargeCall::Kind::read);
    CHECK(calls[copy].fd == calls[0].fd);
    CHECK(calls[copy].offset_at != 0);
  }
}

TEST_CASE("a call of another machine or another kind is none of ours") {
  seccomp_data data{};
  data.nr = SYS_getppid;
  CHECK_FALSE(large_call_of(data));
  data.nr = SYS_read;
  CHECK_FALSE(large_call_of(data));  // an unknown machine (0)
}

}  // namespace discnice::notify
