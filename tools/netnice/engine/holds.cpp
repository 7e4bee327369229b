// SPDX-License-Identifier: MIT
#include "tools/netnice/engine/holds.hpp"

#include <algorithm>
#include <cerrno>

#include <sys/mman.h>

#include "toolbox/base/units.hpp"
#include "tools/netnice/socket/process_handle.hpp"

namespace netnice {
namespace {

constexpr std::uint64_t kLostNs = 5 * gray::base::kNanosecondsPerSecond;

}  // namespace

Holds::Holds() {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  shared_ = static_cast<Shared*>(memory);
  holds_ = shared_->holds;
}

Holds::~Holds() {
  if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
}

Hold* Holds::add(std::uint64_t inode, pid_t pid, int fd, const SocketLimits& before) {
  for (std::size_t tries = 0; tries < kMost; ++tries) {
    Hold& hold = holds_[next_];
    next_ = (next_ + 1) % kMost;
    if (hold.inode != 0) continue;
    hold = Hold{0, pid, fd, before};
    shared_->used = std::max(shared_->used, next_ == 0 ? kMost : next_);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    hold.inode = inode;
    return &hold;
  }
  return nullptr;
}

Hold* Holds::find(std::uint64_t inode) {
  for (std::size_t i = 0; i < shared_->used; ++i)
    if (holds_[i].inode == inode) return &holds_[i];
  return nullptr;
}

void Holds::forget_lost(std::uint64_t now_ns) {
  for (std::size_t i = 0; i < shared_->used; ++i) {
    Hold& hold = holds_[i];
    if (hold.inode != 0 && hold.lost_ns != 0 && now_ns - hold.lost_ns > kLostNs) hold.inode = 0;
  }
}

std::size_t Holds::put_all_back(const std::vector<pid_t>& heirs) {
  gate_.let_go();
  bool is_any_left = false;
  for (std::size_t i = 0; i < shared_->used; ++i) {
    Hold& hold = holds_[i];
    if (hold.inode == 0) continue;
    put_back_if_it_is({hold.inode, hold.pid, hold.fd}, hold);
    is_any_left = is_any_left || hold.inode != 0;
  }
  if (!is_any_left) return 0;
  std::vector<FoundSocket> found;
  for (const pid_t heir : heirs) find_sockets(heir, found);
  for (const FoundSocket& socket : found)
    if (Hold* hold = find(socket.inode); hold != nullptr) put_back_if_it_is(socket, *hold);
  std::size_t out_of_reach = 0;
  for (std::size_t i = 0; i < shared_->used; ++i) {
    if (holds_[i].inode != 0 && holds_[i].is_out_of_reach) ++out_of_reach;
    holds_[i].inode = 0;  // as a rule the other sockets are closed
  }
  return out_of_reach;
}

void Holds::put_back_if_it_is(const FoundSocket& socket, Hold& hold) {
  const auto fd = ProcessHandle(socket.pid).duplicate(socket.fd);
  if (fd.error() == -EPERM) hold.is_out_of_reach = true;
  if (!fd.is_open() || inode_of(fd.get()) != hold.inode) return;
  put_back(fd.get(), hold);
  hold.inode = 0;
}

std::size_t Holds::finish(const std::vector<pid_t>& heirs) {
  const std::size_t out_of_reach = put_all_back(heirs);
  __atomic_store_n(&shared_->is_finished, true, __ATOMIC_RELEASE);
  return out_of_reach;
}

bool Holds::is_finished() const {
  return __atomic_load_n(&shared_->is_finished, __ATOMIC_ACQUIRE);
}

void put_back(int fd, Hold& hold) {
  if (hold.is_sending_held && read_pace(fd) == hold.pacing_bytes_per_s) let_send(fd, hold.before);
  if (hold.is_receiving_held) let_receive(fd, hold.before);
  hold.is_sending_held = hold.is_receiving_held = false;
}

}  // namespace netnice
