// SPDX-License-Identifier: MIT
#include "tools/discnice/policy/registry.hpp"

#include <cstring>

#include "tools/discnice/policy/idle.hpp"
#include "tools/discnice/policy/manners.hpp"
#include "tools/discnice/policy/nice.hpp"
#include "tools/discnice/policy/rate_window.hpp"
#include "tools/discnice/policy/share.hpp"
#include "tools/discnice/policy/unlimited.hpp"

namespace discnice::policy {
namespace {

// Only append entries: the place in this list is the id in shared memory.
const Policy* const kPolicies[] = {&kUnlimited, &kRateWindow, &kIdle, &kNice, &kShare, &kManners};
constexpr std::uint32_t kPolicyCount = sizeof kPolicies / sizeof kPolicies[0];
static_assert(kMannersId < kPolicyCount);

}  // namespace

std::uint32_t policy_count() {
  return kPolicyCount;
}

const Policy& policy_by_id(std::uint32_t id) {
  return id < kPolicyCount ? *kPolicies[id] : *kPolicies[kUnlimitedId];
}

int policy_id_by_name(const char* name, std::size_t length) {
  for (std::uint32_t id = 0; id < kPolicyCount; ++id) {
    if (std::strlen(kPolicies[id]->name) == length && std::memcmp(kPolicies[id]->name, name, length) == 0) {
      return static_cast<int>(id);
    }
  }
  return -1;
}

}  // namespace discnice::policy
