// SPDX-License-Identifier: MIT
#include "tools/discnice/policy/net_limits.hpp"

#include <cstring>

#include "toolbox/base/units.hpp"

namespace discnice::policy {
namespace {

bool is_word(const char* word, std::size_t length, const char* text) {
  return length == std::strlen(text) && std::memcmp(word, text, length) == 0;
}

bool begins_with(const char* word, std::size_t length, const char* text) {
  return length > std::strlen(text) && std::memcmp(word, text, std::strlen(text)) == 0;
}

// A rate is said once.
bool read_rate(const char* word, std::size_t length, std::uint64_t* rate_bytes_per_s) {
  const auto rate = gray::base::parse_rate_bytes_per_s(word, length);
  if (!rate || gray::base::is_unit_forgotten(word, length, rate.value()) || *rate_bytes_per_s != 0)
    return false;
  *rate_bytes_per_s = rate.value();
  return true;
}

bool read_word(const char* word, std::size_t length, NetLimits* limits) {
  constexpr char kUp[] = "up=";
  constexpr char kDown[] = "down=";
  if (is_word(word, length, "nice")) {
    const bool is_first = !limits->gives_way;
    limits->gives_way = true;
    return is_first;
  }
  if (begins_with(word, length, kUp))
    return read_rate(word + sizeof kUp - 1, length - (sizeof kUp - 1), &limits->up_bytes_per_s);
  if (begins_with(word, length, kDown))
    return read_rate(word + sizeof kDown - 1, length - (sizeof kDown - 1), &limits->down_bytes_per_s);
  return read_rate(word, length, &limits->up_bytes_per_s) &&
         read_rate(word, length, &limits->down_bytes_per_s);
}

}  // namespace

bool parse_net_limits(const char* text, std::size_t length, NetLimits* limits) {
  *limits = {};
  if (is_word(text, length, "off")) return true;
  const char* const end = text + length;
  while (text != end) {
    const char* const start = text;
    while (text != end && *text != ',' && *text != ' ') ++text;
    if (text == start || !read_word(start, static_cast<std::size_t>(text - start), limits)) return false;
    if (text != end && ++text == end) return false;  // something follows a comma
  }
  return limits->is_any();
}

NetLimits net_limits_of(const Grant& grant) {
  return {grant.net_gives_way != 0, grant.net_up_bytes_per_s, grant.net_down_bytes_per_s};
}

void set_net_limits(Grant& grant, const NetLimits& limits) {
  grant.net_gives_way = limits.gives_way ? 1 : 0;
  grant.net_up_bytes_per_s = limits.up_bytes_per_s;
  grant.net_down_bytes_per_s = limits.down_bytes_per_s;
}

}  // namespace discnice::policy
