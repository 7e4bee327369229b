// SPDX-License-Identifier: MIT
// working_set_test: watches a child process whose touches are known, through the public interface. Left out: the exactness of whole curves (system/working_set).
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "libgray/include/gray/working_set.h"
#include "tests/support/catch.hpp"

namespace {

constexpr std::size_t kHeldBytes = std::size_t{64} << 20U;
constexpr std::size_t kUsedBytes = std::size_t{24} << 20U;
constexpr std::size_t kRestBytes = std::size_t{4} << 20U;  // libraries and stack of a small program
constexpr std::size_t kPageBytes = 4096;

// A child that holds memory, and reads a part of it each time it is told to.
class Child {
 public:
  Child() {
    if (pipe(orders_) != 0 || pipe(answers_) != 0) return;
    pid_ = fork();
    if (pid_ == 0) obey();
    wait_for_answer();
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    for (const int fd : {orders_[0], orders_[1], answers_[0], answers_[1]}) close(fd);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void use() {
    REQUIRE(write(orders_[1], "u", 1) == 1);
    wait_for_answer();
  }
  void end() {
    kill(pid_, SIGKILL);
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT);
  }

 private:
  void wait_for_answer() const {
    char answer = 0;
    REQUIRE(read(answers_[0], &answer, 1) == 1);
  }
  [[noreturn]] void obey() const {
    void* memory = mmap(nullptr, kHeldBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) _exit(1);
    madvise(memory, kHeldBytes, MADV_NOHUGEPAGE);
    std::memset(memory, 1, kHeldBytes);
    const auto* bytes = static_cast<volatile unsigned char*>(memory);
    char order = 0;
    do {
      if (order == 'u') {
        for (std::size_t i = 0; i < kUsedBytes; i += kPageBytes) (void)bytes[i];
      }
      if (write(answers_[1], "a", 1) != 1) _exit(1);
    } while (read(orders_[0], &order, 1) == 1);
    _exit(0);
  }

  int orders_[2] = {-1, -1};
  int answers_[2] = {-1, -1};
  pid_t pid_ = -1;
};

gb_working_set_sample empty_look() {
  gb_working_set_sample look{};
  look.size = sizeof look;
  return look;
}

}  // namespace

TEST_CASE("what a process touches after a clearing is counted, and what it holds") {
  Child child;
  gb_working_set_t* watch = nullptr;
  const gb_status_t opened = gb_working_set_open(child.pid(), &watch);
  // A kernel without the page marks, or a container that forbids them.
  if (opened == -ENOTSUP || opened == -EACCES) return;
  REQUIRE(opened == 0);
  gb_working_set_sample look = empty_look();
  REQUIRE(gb_working_set_look(watch, &look) == 0);
  CHECK(look.since_ns == 0);
  CHECK(look.touched_bytes >= kHeldBytes);
  REQUIRE(gb_working_set_clear(watch) == 0);
  REQUIRE(gb_working_set_look(watch, &look) == 0);
  CHECK(look.touched_bytes <= kRestBytes);
  CHECK(look.resident_bytes >= kHeldBytes);
  child.use();
  REQUIRE(gb_working_set_look(watch, &look) == 0);
  CHECK(look.touched_bytes >= kUsedBytes);
  CHECK(look.touched_bytes <= kUsedBytes + kRestBytes);
  CHECK(look.since_ns > 0);
  CHECK(look.cost_ns > 0);
  CHECK((look.doubts & ~unsigned{GB_DOUBT_RECLAIM}) == 0);
  gb_working_set_close(watch);
}

TEST_CASE("a second watch that clears meanwhile is noticed") {
  Child child;
  gb_working_set_t* one = nullptr;
  gb_working_set_t* other = nullptr;
  if (gb_working_set_open(child.pid(), &one) != 0) return;
  REQUIRE(gb_working_set_open(child.pid(), &other) == 0);
  REQUIRE(gb_working_set_clear(one) == 0);
  child.use();
  gb_working_set_sample look = empty_look();
  REQUIRE(gb_working_set_look(one, &look) == 0);
  REQUIRE(gb_working_set_clear(other) == 0);
  REQUIRE(gb_working_set_look(one, &look) == 0);
  CHECK((look.doubts & GB_DOUBT_CLEARED) != 0);
  gb_working_set_close(other);
  gb_working_set_close(one);
}

TEST_CASE("a process that has ended is told as such") {
  gb_working_set_t* watch = nullptr;
  {
    Child child;
    if (gb_working_set_open(child.pid(), &watch) != 0) return;
    REQUIRE(gb_working_set_clear(watch) == 0);
    child.end();
    gb_working_set_sample look = empty_look();
    CHECK(gb_working_set_look(watch, &look) == -ESRCH);
    CHECK(gb_working_set_clear(watch) == -ESRCH);
  }
  gb_working_set_close(watch);
}

TEST_CASE("a watch or a curve that makes no sense is refused") {
  gb_working_set_t* watch = nullptr;
  CHECK(gb_working_set_open(0, &watch) == -EINVAL);
  CHECK(gb_working_set_open(-1, &watch) == -EINVAL);
  CHECK(gb_working_set_open(1, nullptr) == -EINVAL);
  CHECK(gb_working_set_open(0x7ffffff0, &watch) == -ESRCH);
  CHECK(gb_working_set_open(2, &watch) != 0);  // a kernel thread, or no process
  CHECK(watch == nullptr);
  CHECK(gb_working_set_clear(nullptr) == -EINVAL);
  gb_working_set_sample look = empty_look();
  CHECK(gb_working_set_look(nullptr, &look) == -EINVAL);
  gb_working_set_close(nullptr);
  std::size_t knee = 0;
  const std::uint64_t since_ns[] = {1, 2, 2};
  const std::uint64_t bytes[] = {1, 2, 3};
  CHECK(gb_working_set_knee(since_ns, bytes, 3, &knee) == -EINVAL);
  CHECK(gb_working_set_knee(nullptr, bytes, 3, &knee) == -EINVAL);
  CHECK(gb_working_set_knee(since_ns, bytes, 3, nullptr) == -EINVAL);
  CHECK(gb_working_set_knee(since_ns, bytes, 0, &knee) == -ENODATA);
}
