// SPDX-License-Identifier: MIT
// pid_namespace: the namespace in which a process's number counts. A container has numbers of its own. So the same number may mean two processes, and
// a process that exists looks dead from outside.
//
// A job's creator has the namespace 0 by definition. Each other namespace has the kernel's number of it (the inode of /proc/self/ns/pid).
// Knowledge assumed: a process with the creator's number and session, neither of which is 0, is the creator. Another namespace would have to have
//   given out both numbers by chance, in the same relation.
// Output observed: getsid() of the creator's number, which takes a tenth of a microsecond. /proc is read only when the session
//   differs.
#pragma once

#include <cstdint>

namespace discnice::protocol {

struct Segment;

inline constexpr std::uint32_t kCreatorsPidNamespace = 0;
inline constexpr std::uint32_t kUnknownPidNamespace = UINT32_MAX;  // of a process that has no /proc

/// The kernel's number of the calling process's own namespace; kUnknownPidNamespace without /proc. Takes some microseconds.
std::uint32_t find_pid_namespace();

/// The calling process's namespace, in the numbering of this job's members.
std::uint32_t own_pid_namespace(const Segment& segment);

}  // namespace discnice::protocol
