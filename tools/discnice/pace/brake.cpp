// SPDX-License-Identifier: MIT
#include "tools/discnice/pace/brake.hpp"

#include <cerrno>

#include "tools/discnice/processes/processes.hpp"

namespace discnice::pace {

// A process that another process traces is being debugged. The brake does not stop such a process by a signal, because the person who debugs it would not know
// why it is stopped.
int Brake::stop(pid_t pid) {
  const int error = by_trace_.stop(pid);
  if (error == 0 || processes::is_traced(pid)) return error;
  return by_signal_.stop(pid);
}

void Brake::release(pid_t pid) {
  by_trace_.release(pid);
  by_signal_.release(pid);
}

}  // namespace discnice::pace
