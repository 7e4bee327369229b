// SPDX-License-Identifier: MIT
#include "tools/discnice/notify/listener.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <linux/ioctl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace discnice::notify {
namespace {

// Since Linux 6.6 the caller may be woken on the processor on which the answer is given: it waits for nothing else.
constexpr unsigned long kSetFlags = _IOW('!', 4, std::uint64_t);
constexpr std::uint64_t kWakeInTurn = 1;
// More than any kernel's answer has.
constexpr std::size_t kAnswerBytesMax = 256;

std::uint64_t id_of(const std::byte* shown) {
  std::uint64_t id = 0;
  std::memcpy(&id, shown + offsetof(seccomp_notif, id), sizeof id);
  return id;
}

}  // namespace

Listener::Listener(int fd) : fd_(fd), shown_bytes_(sizeof(seccomp_notif)) {
  seccomp_notif_sizes sizes{};
  if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0)
    shown_bytes_ = std::max<std::size_t>(shown_bytes_, sizes.seccomp_notif);
  void* memory =
      mmap(nullptr, kTakenMax * sizeof(Taken), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || shown_bytes_ > kShownBytesMax)
    throw std::system_error(ENOMEM, std::generic_category());
  taken_ = static_cast<Taken*>(memory);
  ioctl(fd, kSetFlags, kWakeInTurn);
}

Listener::~Listener() {
  munmap(taken_, kTakenMax * sizeof(Taken));
}

bool Listener::receive(seccomp_notif& shown) {
  Taken* end = taken_ + kTakenMax;
  Taken* place = std::find_if(taken_, end,
                              [](const Taken& one) { return !one.is_used.load(std::memory_order_acquire); });
  if (place == end) return false;
  std::memset(place->shown, 0, sizeof place->shown);  // as the kernel wants it
  place->is_used.store(true, std::memory_order_release);
  const bool is_there = ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_RECV, place->shown) == 0;
  if (is_there)
    std::memcpy(&shown, place->shown, sizeof shown);
  else
    place->is_used.store(false, std::memory_order_release);
  return is_there;
}

void Listener::send(const seccomp_notif_resp& answer) {
  alignas(seccomp_notif_resp) std::byte bytes[kAnswerBytesMax]{};
  std::memcpy(bytes, &answer, sizeof answer);
  ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_SEND, bytes);
  for (std::size_t i = 0; i < kTakenMax; ++i) {
    Taken& one = taken_[i];
    if (!one.is_used.load(std::memory_order_acquire) || id_of(one.shown) != answer.id) continue;
    one.is_used.store(false, std::memory_order_release);
    return;
  }
}

void Listener::let_go(std::uint64_t id) {
  seccomp_notif_resp answer{};
  answer.id = id;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  send(answer);
}

void Listener::answer(std::uint64_t id, std::int64_t value) {
  seccomp_notif_resp answer{};
  answer.id = id;
  answer.val = value;
  send(answer);
}

bool Listener::is_waiting(std::uint64_t id) const {
  return ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

void Listener::let_all_go(void (*tell)()) {
  bool has_told = false;
  const auto go = [&](std::uint64_t id) {
    if (!has_told) tell();
    has_told = true;
    let_go(id);
  };
  for (std::size_t i = 0; i < kTakenMax; ++i) {
    const bool is_used = taken_[i].is_used.load(std::memory_order_acquire);
    const std::uint64_t id = id_of(taken_[i].shown);
    if (is_used && id != 0 && is_waiting(id)) go(id);
    taken_[i].is_used.store(false, std::memory_order_release);
  }
  seccomp_notif shown{};
  while (true) {
    pollfd wanted{fd_.get(), POLLIN, 0};
    if (poll(&wanted, 1, -1) < 0 && errno != EINTR) return;
    if ((wanted.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return;
    if ((wanted.revents & POLLIN) != 0 && receive(shown)) go(shown.id);
  }
}

}  // namespace discnice::notify
