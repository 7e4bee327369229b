// SPDX-License-Identifier: MIT
// cache_settings: prints the settings that libgray's detector uses for the place of FILE, and where they come from, as an application would.
#include <cstdint>
#include <cstdio>

#include <gray/gray.h>

namespace {

const char* name_of(std::uint32_t origin) {
  switch (origin) {
    case GB_ORIGIN_CALLER:
      return "as asked for";
    case GB_ORIGIN_RECORD:
      return "from the record of this host";
    case GB_ORIGIN_NOW:
      return "not recorded: a cached read was timed just now";
    default:
      return "the library's own: microbench has not measured this host";
  }
}

}  // namespace

int main(int argc, char** argv) {
  gb_cache_settings settings{};
  settings.size = sizeof settings;
  gb_cache_t* detector = nullptr;
  if (argc != 2 || gb_cache_open(nullptr, &detector) != 0 ||
      gb_cache_explain(detector, argv[1], &settings) != 0)
    return 1;
  std::printf("one probe answers for %llu bytes (%s)\n",
              static_cast<unsigned long long>(settings.prediction_unit_bytes),
              name_of(settings.prediction_unit_origin));
  std::printf("a probe above %llu ns missed (%s)\n",
              static_cast<unsigned long long>(settings.hit_time_max_ns), name_of(settings.hit_time_origin));
  gb_cache_close(detector);
  return 0;
}
