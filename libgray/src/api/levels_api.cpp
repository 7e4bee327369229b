// SPDX-License-Identifier: MIT
// levels_api: the C interface of the division into levels.
#include <cerrno>
#include <new>

#include "gray/levels.h"
#include "libgray/src/api/sized_struct.hpp"
#include "toolbox/base/levels.hpp"

struct gb_levels {
  gray::base::Levels found;
};

namespace {

constexpr std::size_t kLevelSizeFirst = 40;  // release 0.1
static_assert(sizeof(gb_level) >= kLevelSizeFirst);

}  // namespace

extern "C" gb_status_t gb_levels_find(const uint64_t* times_ns, size_t count, uint64_t alike_ns,
                                      gb_levels_t** levels) {
  if (levels == nullptr) return -EINVAL;
  *levels = nullptr;
  if (times_ns == nullptr && count != 0) return -EINVAL;
  auto* made = new (std::nothrow) gb_levels{gray::base::find_levels(times_ns, count, alike_ns)};
  if (made == nullptr) return -ENOMEM;
  *levels = made;
  return 0;
}

extern "C" size_t gb_levels_count(const gb_levels_t* levels) {
  return levels == nullptr ? 0 : levels->found.count;
}

extern "C" gb_status_t gb_levels_level(const gb_levels_t* levels, size_t i, struct gb_level* level) {
  if (level == nullptr || i >= gb_levels_count(levels)) return -EINVAL;
  const gray::base::Level& found = levels->found.level.at(i);
  struct gb_level answer {};
  answer.count = found.count;
  answer.median_ns = found.median_ns;
  answer.low_ns = found.low_ns;
  answer.high_ns = found.high_ns;
  return gray::api::write_sized(answer, kLevelSizeFirst, level);
}

extern "C" size_t gb_levels_of(const gb_levels_t* levels, uint64_t time_ns) {
  return gb_levels_count(levels) == 0 ? 0 : levels->found.of(time_ns);
}

extern "C" void gb_levels_free(gb_levels_t* levels) {
  delete levels;
}
