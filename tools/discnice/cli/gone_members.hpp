// SPDX-License-Identifier: MIT
// gone_members: gives back the slots of members that were killed, in whatever PID namespace they were.
//
// A member sees only the processes of its own namespace. In the creator's namespace, /proc also shows the processes of all namespaces that were made below it, each
// with its innermost number (NSpid) and its namespace.
#pragma once

#include <cstdint>

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// Returns what was reserved for operations of theirs, which belongs to the job's account.
std::uint64_t release_gone_members(protocol::Segment& segment);

/// Whether no process of that namespace is left. Only who is in the first one sees all of them; for others it has not ended.
bool has_namespace_ended(std::uint32_t pid_namespace);

/// Whether any member is there still. From another namespace than the creator's that cannot be told, and counts as yes.
bool has_members(protocol::Segment& segment);

}  // namespace discnice::cli
