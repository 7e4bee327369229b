// SPDX-License-Identifier: MIT
#include "tools/netnice/holds.hpp"

#include <sys/mman.h>

#include "tools/netnice/socket/process_handle.hpp"

namespace netnice {

Holds::Holds() {
  void* memory =
      mmap(nullptr, kMost * sizeof(Hold), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) holds_ = static_cast<Hold*>(memory);
}

Holds::~Holds() {
  if (holds_ != nullptr) munmap(holds_, kMost * sizeof(Hold));
}

Hold* Holds::add(std::uint64_t inode, pid_t pid, int fd, const SocketLimits& before) {
  for (std::size_t tries = 0; tries < kMost; ++tries) {
    Hold& hold = holds_[next_];
    next_ = (next_ + 1) % kMost;
    if (hold.inode != 0) continue;
    hold = Hold{0, pid, fd, before, false, false};
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    hold.inode = inode;
    return &hold;
  }
  return nullptr;
}

void Holds::put_all_back() {
  for (std::size_t i = 0; i < kMost; ++i) {
    Hold& hold = holds_[i];
    if (hold.inode == 0) continue;
    const auto fd = ProcessHandle(hold.pid).duplicate(hold.fd);
    if (fd.is_open() && inode_of(fd.get()) == hold.inode) put_back(fd.get(), hold);
    Holds::remove(hold);
  }
}

void put_back(int fd, Hold& hold) {
  if (hold.is_sending_held) let_send(fd, hold.before);
  if (hold.is_receiving_held) let_receive(fd, hold.before);
  hold.is_sending_held = hold.is_receiving_held = false;
}

}  // namespace netnice
