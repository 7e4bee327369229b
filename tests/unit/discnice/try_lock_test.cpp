// SPDX-License-Identifier: MIT
// try_lock_test: which process gets the lock on the models and which process continues without the models, also after a fork.
//
// How: a forked child has its parent's lock word and a process number (epoch) of its own. The test simulates a fork
// by a second epoch for the same word. Threads show that two holders never overlap. Left out: real forks in the
// middle of a hook; system tests make those.
#include "tools/discnice/job/try_lock.hpp"

#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

using discnice::guest::TryLock;

TEST_CASE("a free lock is taken, and given back at the end of the scope", "[try_lock]") {
  std::atomic<std::uint32_t> word{0};
  {
    const TryLock lock(word, 7);
    CHECK(lock);
    CHECK(word.load() == 7);
  }
  CHECK(word.load() == 0);
}

TEST_CASE("whoever comes second does without, and does not free the holder's lock", "[try_lock]") {
  std::atomic<std::uint32_t> word{0};
  const TryLock first(word, 7);
  {
    // A second attempt, like the attempt of another thread, or of a signal handler in the middle of the first call.
    const TryLock second(word, 7);
    CHECK_FALSE(second);
  }
  CHECK(word.load() == 7);
}

TEST_CASE("a lock held by a thread that the fork left behind is free for the child", "[try_lock]") {
  std::atomic<std::uint32_t> word{7};  // the parent's epoch, copied in the middle of a call
  {
    const TryLock child(word, 8);
    CHECK(child);
    const TryLock second(word, 8);
    CHECK_FALSE(second);
  }
  CHECK(word.load() == 0);
}

TEST_CASE("two threads are never inside together", "[try_lock]") {
  std::atomic<std::uint32_t> word{0};
  std::atomic<int> inside{0};
  std::atomic<int> overlaps{0};
  std::atomic<int> entries{0};
  const auto run = [&] {
    for (int i = 0; i < 20'000; ++i) {
      const TryLock lock(word, 3);
      if (!lock) continue;
      if (inside.fetch_add(1) != 0) overlaps.fetch_add(1);
      entries.fetch_add(1);
      inside.fetch_sub(1);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
  CHECK(overlaps.load() == 0);
  CHECK(entries.load() > 0);
  CHECK(word.load() == 0);
}
