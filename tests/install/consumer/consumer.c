/* SPDX-License-Identifier: MIT */
/* consumer: a C11 program of another project: it uses every function of libgray once, on the file that it is given. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <gray/gray.h>

static int fail(const char* what, gb_status_t status) {
  fprintf(stderr, "consumer: %s: %s\n", what, gb_status_text(status));
  return 1;
}

static int check_cache(const char* path) {
  struct gb_cache_options options = {.size = sizeof options, .seed = 1};
  struct gb_cache_report report = {.size = sizeof report};
  gb_cache_t* detector = NULL;
  gb_status_t status = gb_cache_open(&options, &detector);
  if (status != 0) return fail("gb_cache_open", status);
  status = gb_cache_inspect(detector, path, &report);
  gb_cache_close(detector);
  if (status != 0) return fail("gb_cache_inspect", status);
  printf("%llu %d\n", (unsigned long long)report.size_bytes, report.cached_fraction > 0.9);
  return 0;
}

static int check_layout(const char* path) {
  struct gb_layout_place place;
  memset(&place, 0, sizeof place);
  place.size = sizeof place;
  const gb_status_t status = gb_layout_find(path, &place);
  if (status != 0) return fail("gb_layout_find", status);
  printf("%llu %d\n", (unsigned long long)place.inode, gb_layout_compare(&place, &place));
  return 0;
}

static int check_order(const char* path) {
  const char* paths[2] = {"/no/such/file", path};
  struct gb_order_file first = {.size = sizeof first};
  struct gb_order_file last = {.size = sizeof last};
  gb_order_list_t* list = NULL;
  gb_status_t status = gb_order_find(paths, 2, NULL, &list);
  if (status != 0) return fail("gb_order_find", status);
  status = gb_order_at(list, 0, &first);
  if (status == 0) status = gb_order_at(list, gb_order_count(list) - 1, &last);
  gb_order_free(list);
  if (status != 0) return fail("gb_order_at", status);
  printf("%s %s\n", strcmp(paths[first.input], path) == 0 ? "first" : "last", gb_status_text(last.error));
  return 0;
}

static int check_follow(void) {
  struct gb_follow_heap heap = {.size = sizeof heap, .heap_bytes = 1 << 20, .live_bytes = 1 << 19};
  struct gb_follow_advice advice = {.size = sizeof advice};
  gb_follow_t* follow = NULL;
  gb_status_t status = gb_follow_open(NULL, &follow);
  if (status != 0) return fail("gb_follow_open", status);
  status = gb_follow_ask(follow, &heap, &advice);
  gb_follow_close(follow);
  return status == 0 || status == -ENODATA ? 0 : fail("gb_follow_ask", status);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  printf("%s %d.%d.%d %s\n", gb_version(), GB_VERSION_MAJOR, GB_VERSION_MINOR, GB_VERSION_PATCH, GB_VERSION);
  printf("%s\n", gb_status_text(0));
  return check_cache(argv[1]) != 0 || check_layout(argv[1]) != 0 || check_order(argv[1]) != 0 ||
         check_follow() != 0;
}
