// SPDX-License-Identifier: MIT
// pid_namespace: tells in which namespace the number of a process counts. A container has numbers of its own: two processes may have the same number, and a living process may
// look dead from outside.
//
// A job's creator has the namespace 0 by definition; each other one goes by the kernel's number of it (the inode of /proc/self/ns/pid).
// Knowledge assumed: a process that has the creator's number and session, both not 0, is the creator. Otherwise another namespace would have given out both numbers by chance, in
// the same relation.
// Output observed: getsid() of the creator's number, a tenth of a microsecond; only where that does not fit, /proc.
#pragma once

#include <cstdint>

namespace discnice::protocol {

struct Segment;

inline constexpr std::uint32_t kCreatorsPidNamespace = 0;
inline constexpr std::uint32_t kUnknownPidNamespace = UINT32_MAX;  // of one that has no /proc

/// The kernel's number of the calling process's namespace; kUnknownPidNamespace without /proc. Takes some microseconds.
std::uint32_t find_pid_namespace();

/// The namespace of the calling process, as the members of this job number it.
std::uint32_t own_pid_namespace(const Segment& segment);

}  // namespace discnice::protocol
