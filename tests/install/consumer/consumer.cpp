// SPDX-License-Identifier: MIT
// consumer: the same as consumer.c in C++20, with an owning object as a C++ program would have it.
#include <cstdint>
#include <cstdio>
#include <memory>

#include <gray/gray.h>

namespace {

struct CloseCache {
  void operator()(gb_cache_t* detector) const { gb_cache_close(detector); }
};

bool check_cache(const char* path) {
  gb_cache_options options{};
  options.size = sizeof options;
  options.seed = 1;
  gb_cache_t* opened = nullptr;
  if (gb_cache_open(&options, &opened) != 0) return false;
  const std::unique_ptr<gb_cache_t, CloseCache> detector(opened);
  gb_cache_report report{};
  report.size = sizeof report;
  if (gb_cache_inspect(detector.get(), path, &report) != 0) return false;
  std::printf("%ju %d\n", static_cast<std::uintmax_t>(report.size_bytes), report.cached_fraction > 0.9);
  return true;
}

bool check_layout(const char* path) {
  gb_layout_place place{};
  place.size = sizeof place;
  if (gb_layout_find(path, &place) != 0) return false;
  std::printf("%ju %d\n", static_cast<std::uintmax_t>(place.inode), gb_layout_compare(&place, &place));
  return true;
}

struct FreeOrder {
  void operator()(gb_order_list_t* list) const { gb_order_free(list); }
};

bool check_order(const char* path) {
  const char* paths[] = {"/no/such/file", path};
  gb_order_list_t* found = nullptr;
  if (gb_order_find(paths, 2, nullptr, &found) != 0) return false;
  const std::unique_ptr<gb_order_list_t, FreeOrder> list(found);
  gb_order_file first{};
  first.size = sizeof first;
  gb_order_file last = first;
  if (gb_order_at(list.get(), 0, &first) != 0 || gb_order_at(list.get(), 1, &last) != 0) return false;
  std::printf("%s %s\n", paths[first.input] == path ? "first" : "last", gb_status_text(last.error));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::printf("%s %d.%d.%d %s\n", gb_version(), GB_VERSION_MAJOR, GB_VERSION_MINOR, GB_VERSION_PATCH,
              GB_VERSION);
  std::printf("%s\n", gb_status_text(0));
  return check_cache(argv[1]) && check_layout(argv[1]) && check_order(argv[1]) ? 0 : 1;
}
