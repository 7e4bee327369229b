// SPDX-License-Identifier: MIT
// gone_members: frees the slots of members that were killed, in whatever PID namespace they were.
//
// A member sees only the processes of its own namespace. In the creator's namespace, /proc also shows the processes of all namespaces that were made below it, each
// with its innermost number (NSpid) and its namespace.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// Frees the slots of killed members. Returns the bytes that these members had reserved for operations. The bytes belong back into the job's account.
std::uint64_t release_gone_members(protocol::Segment& segment);

/// Whether no process of that namespace is left. Only a process in the first PID namespace sees all processes. For any other process the answer is
/// no.
bool has_namespace_ended(std::uint32_t pid_namespace);

/// Whether any member still exists. A process outside the namespace of the job's creator cannot find this out. For such a
/// process the answer is yes.
bool has_members(protocol::Segment& segment);

}  // namespace discnice::cli
