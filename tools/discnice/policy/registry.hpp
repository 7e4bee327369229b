// SPDX-License-Identifier: MIT
// registry: policies by name and by number. A new policy is one file and one line in registry.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/discnice/policy/policy.hpp"

namespace discnice::policy {

/// The number of policies. Ids run from 0 to this number less one, and never change their meaning between releases.
std::uint32_t policy_count();

/// The policy with that id, or `unlimited` for an id that this build does not know, because shared memory may hold a newer one.
const Policy& policy_by_id(std::uint32_t id);

/// The id of the policy called `name` (length characters), or -1.
int policy_id_by_name(const char* name, std::size_t length);

inline constexpr std::uint32_t kUnlimitedId = 0;
inline constexpr std::uint32_t kRateWindowId = 1;
inline constexpr std::uint32_t kIdleId = 2;
inline constexpr std::uint32_t kNiceId = 3;
inline constexpr std::uint32_t kShareId = 4;
inline constexpr std::uint32_t kMannersId = 5;

}  // namespace discnice::policy
