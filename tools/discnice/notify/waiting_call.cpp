// SPDX-License-Identifier: MIT
#include "tools/discnice/notify/waiting_call.hpp"

#include <algorithm>
#include <array>

#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tools/discnice/processes/processes.hpp"

namespace discnice::notify {
namespace {

constexpr std::int64_t kPageBytes = 4096;
constexpr std::size_t kBlockBytes = 256 * 1024;

// An offset that lies in the caller's memory. Written as it is before anything depends on it: it may lie where nobody may write.
class CallersOffset {
 public:
  CallersOffset(pid_t pid, std::uint64_t address) : pid_(pid), address_(address) {
    is_there_ = address == 0 || (move(process_vm_readv) && move(process_vm_writev));
  }
  [[nodiscard]] bool is_there() const { return is_there_; }
  [[nodiscard]] std::int64_t* value() { return address_ == 0 ? nullptr : &value_; }
  void store() {
    if (address_ != 0) move(process_vm_writev);
  }

 private:
  template <typename Call>
  bool move(Call call) {
    const iovec ours{&value_, sizeof value_};
    const iovec theirs{reinterpret_cast<void*>(address_),
                       sizeof value_};  // NOLINT(performance-no-int-to-ptr)
    return call(pid_, &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(sizeof value_);
  }

  pid_t pid_;
  std::uint64_t address_;
  std::int64_t value_ = 0;
  bool is_there_;
};

// What the kernel judges by who makes a call.
bool may_write_in_place_of(pid_t pid) {
  rlimit limit{};
  processes::Identity identity;
  return prlimit(pid, RLIMIT_FSIZE, nullptr, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY &&
         processes::read_identity(pid, identity) && identity.user == geteuid();
}

}  // namespace

bool bring(WaitingCall& waiting, std::uint64_t bytes) {
  static thread_local std::array<char, kBlockBytes> block;
  // The last page is read as a whole.
  const std::int64_t end =
      std::min<std::int64_t>(waiting.end_bytes, waiting.at_bytes + static_cast<std::int64_t>(bytes));
  while (waiting.at_bytes < end) {
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(end - waiting.at_bytes, kBlockBytes));
    const ssize_t got = pread(waiting.file.get(), block.data(), wanted, waiting.at_bytes);
    if (got <= 0) return false;  // the call itself will say why
    waiting.at_bytes += got;
  }
  waiting.at_bytes = (waiting.at_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  return waiting.at_bytes < waiting.end_bytes;
}

std::optional<std::int64_t> copy(WaitingCall& waiting, std::uint64_t bytes) {
  const LargeCall& call = waiting.call;
  if (!may_write_in_place_of(waiting.pid)) return std::nullopt;
  CallersOffset from(waiting.pid, call.from_offset_at);
  CallersOffset to(waiting.pid, call.to_offset_at);
  if (!from.is_there() || !to.is_there()) return std::nullopt;
  const std::size_t wanted = std::min(bytes, call.bytes);
  const ssize_t done = call.kind == LargeCall::Kind::send_file
                           ? sendfile(waiting.to_file.get(), waiting.file.get(), from.value(), wanted)
                           : copy_file_range(waiting.file.get(), from.value(), waiting.to_file.get(),
                                             to.value(), wanted, call.flags);
  if (done < 0) return std::nullopt;  // the kernel tells the caller
  from.store();
  to.store();
  return done;
}

}  // namespace discnice::notify
