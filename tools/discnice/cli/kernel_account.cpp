// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/kernel_account.hpp"

#include <fstream>
#include <string>

namespace discnice::cli {

std::optional<KernelAccount> read_kernel_account(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/io");
  KernelAccount account;
  int found = 0;
  std::string key;
  std::uint64_t value = 0;
  while (file >> key >> value) {
    if (key == "read_bytes:") {
      account.read_bytes = value;
      ++found;
    } else if (key == "write_bytes:") {
      account.write_bytes = value;
      ++found;
    } else if (key == "cancelled_write_bytes:") {
      account.cancelled_write_bytes = value;
      ++found;
    }
  }
  if (found != 3) return std::nullopt;
  return account;
}

}  // namespace discnice::cli
