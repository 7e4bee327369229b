// SPDX-License-Identifier: MIT
#include "tools/discnice/notify/listener.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

namespace discnice::notify {
namespace {

// Since Linux 6.6 the caller and the answering thread may be woken on the same processor. One of them waits while the other works, and an idle processor takes long to wake.
constexpr unsigned long kSetFlags = _IOW('!', 4, std::uint64_t);
constexpr std::uint64_t kWakeInTurn = 1;

// A signal may interrupt the call. Then the call has had no effect.
int ask_kernel(int fd, unsigned long request, void* argument) {
  int result = -1;
  while ((result = ioctl(fd, request, argument)) != 0 && errno == EINTR) {
  }
  return result;
}

std::uint64_t id_of(const std::byte* shown) {
  std::uint64_t id = 0;
  std::memcpy(&id, shown + offsetof(seccomp_notif, id), sizeof id);
  return id;
}

}  // namespace

// An older kernel refuses the flag, and chooses the processor itself.
Listener::Listener(int fd, TakenCalls& taken) : fd_(fd), taken_(taken) {
  ioctl(fd, kSetFlags, kWakeInTurn);
}

TakenCalls::TakenCalls() {
  void* memory =
      mmap(nullptr, kMax * sizeof(Place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(ENOMEM, std::generic_category());
  places_ = static_cast<Place*>(memory);
}

TakenCalls::~TakenCalls() {
  munmap(places_, kMax * sizeof(Place));
}

bool Listener::receive(seccomp_notif& shown) {
  auto* place = std::find_if(taken_.begin(), taken_.end(), [](const TakenCalls::Place& one) {
    return !one.is_used.load(std::memory_order_acquire);
  });
  if (place == taken_.end()) return false;
  std::memset(place->shown, 0, sizeof place->shown);  // the kernel requires that
  place->is_used.store(true, std::memory_order_release);
  const bool is_there = ask_kernel(fd_.get(), SECCOMP_IOCTL_NOTIF_RECV, place->shown) == 0;
  if (is_there)
    std::memcpy(&shown, place->shown, sizeof shown);
  else
    place->is_used.store(false, std::memory_order_release);
  return is_there;
}

// When the caller has left the call, the kernel returns an error, and no answer is needed.
void Listener::let_go(std::uint64_t id) {
  // The zeros behind the answer are for kernels that have a longer structure.
  alignas(seccomp_notif_resp) std::byte bytes[TakenCalls::kShownBytesMax]{};
  seccomp_notif_resp answer{};
  answer.id = id;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  std::memcpy(bytes, &answer, sizeof answer);
  ask_kernel(fd_.get(), SECCOMP_IOCTL_NOTIF_SEND, bytes);
  for (TakenCalls::Place& one : taken_) {
    if (!one.is_used.load(std::memory_order_acquire) || id_of(one.shown) != id) continue;
    one.is_used.store(false, std::memory_order_release);
    return;
  }
}

bool Listener::is_waiting(std::uint64_t id) const {
  return ask_kernel(fd_.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

void Listener::let_all_go(void (*tell)()) {
  bool has_told = false;
  const auto go = [&](std::uint64_t id) {
    if (!has_told) tell();
    has_told = true;
    let_go(id);
  };
  for (TakenCalls::Place& one : taken_) {
    const std::uint64_t id = id_of(one.shown);
    if (one.is_used.load(std::memory_order_acquire) && id != 0 && is_waiting(id)) go(id);
    one.is_used.store(false, std::memory_order_release);
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
