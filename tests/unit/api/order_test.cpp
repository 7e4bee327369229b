// SPDX-License-Identifier: MIT
// order_test: the order of files through the public interface: the facts about each file, the ownership of memory, and the requests that are refused.
//
// How: the test uses small files in fresh folders. The files are cached because they were just written. To test that memory runs out, each allocation fails
// once: this program replaces operator new, also for the library. Left out: the quality of the order (unit/libgray, system/gbp_order), and files on several
// devices.
#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libgray/include/gray/order.h"
#include "tests/support/catch.hpp"
#include "tests/unit/toolbox/temporary_folder.hpp"

namespace {

thread_local long allocations_left = -1;  // negative: no limit

void* allocate(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

struct Ordered {
  std::vector<gb_order_file> files;
  gb_status_t status = 0;
};

gb_order_options nothing_asked() {
  gb_order_options options{};
  options.size = sizeof options;
  return options;
}

Ordered order(const std::vector<const char*>& paths, const gb_order_options& options) {
  Ordered ordered;
  gb_order_list_t* list = nullptr;
  ordered.status = gb_order_find(paths.data(), paths.size(), &options, &list);
  CHECK((list != nullptr) == (ordered.status == 0));
  for (std::size_t rank = 0; rank < gb_order_count(list); ++rank) {
    gb_order_file file{};
    file.size = sizeof file;
    CHECK(gb_order_at(list, rank, &file) == 0);
    ordered.files.push_back(file);
  }
  gb_order_free(list);
  return ordered;
}

std::size_t mappings_of(const std::string& path) {
  const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  std::string maps;
  char buffer[4096];
  for (ssize_t got = read(fd, buffer, sizeof buffer); got > 0; got = read(fd, buffer, sizeof buffer))
    maps.append(buffer, static_cast<std::size_t>(got));
  close(fd);
  std::size_t count = 0;
  for (std::size_t at = maps.find(path); at != std::string::npos; at = maps.find(path, at + 1)) ++count;
  return count;
}

}  // namespace

// All forms of operator new and delete are replaced. A sanitizer has its own version of each form, and that
// version does not work together with this program's version.
void* operator new(std::size_t bytes) {
  return allocate(bytes);
}
void* operator new[](std::size_t bytes) {
  return allocate(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*unused*/) noexcept {
  return allocations_left == 0 ? nullptr : allocate(bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}

TEST_CASE("each file is told once, by its place in the input, with its size and i-number") {
  const TemporaryFolder folder;
  folder.write("a", std::string(5000, 'a'));
  folder.write("b", std::string(9000, 'b'));
  const std::string a = folder.path("a");
  const std::string b = folder.path("b");
  const Ordered ordered = order({a.c_str(), b.c_str()}, nothing_asked());
  REQUIRE(ordered.files.size() == 2);
  CHECK(ordered.files[0].input + ordered.files[1].input == 1);
  for (const gb_order_file& file : ordered.files) {
    struct stat status {};
    REQUIRE(stat(file.input == 0 ? a.c_str() : b.c_str(), &status) == 0);
    CHECK(file.error == 0);
    CHECK(file.size_bytes == static_cast<std::uint64_t>(status.st_size));
    CHECK(file.inode == status.st_ino);
    CHECK(file.device == status.st_dev);
    CHECK(file.cached_bytes == status.st_size);
    CHECK(file.is_cached == 1);
    CHECK(file.backend != GB_BACKEND_NONE);
  }
}

TEST_CASE("what cannot be looked at has an error of its own and comes last, as it came") {
  const TemporaryFolder folder;
  folder.write("a", "text");
  const std::string a = folder.path("a");
  const std::string fifo = folder.path("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const Ordered ordered = order({"/no/such", nullptr, fifo.c_str(), "/", a.c_str()}, nothing_asked());
  REQUIRE(ordered.files.size() == 5);
  CHECK(ordered.files[0].input == 4);
  const gb_status_t errors[] = {0, -ENOENT, -EINVAL, -EOPNOTSUPP, -EISDIR};
  for (std::size_t rank = 0; rank < 5; ++rank) CHECK(ordered.files[rank].error == errors[rank]);
}

TEST_CASE("by their places nothing is said of the cache, unless it is asked for") {
  const TemporaryFolder folder;
  folder.write("a", "text");
  const std::string a = folder.path("a");
  gb_order_options options = nothing_asked();
  options.mode = GB_ORDER_BY_PLACE;
  options.order = GB_ORDER_INODE;
  Ordered ordered = order({a.c_str(), "/"}, options);
  REQUIRE(ordered.files.size() == 2);
  for (const gb_order_file& file : ordered.files) {
    CHECK(file.error == 0);
    CHECK(file.cached_bytes == -1);
    CHECK(file.cached_fraction < 0);
    CHECK(file.order == GB_ORDER_INODE);
  }
  options.flags = GB_ORDER_TELL_CACHE;
  ordered = order({a.c_str(), "/"}, options);
  CHECK(ordered.files[0].cached_bytes == 4);
  CHECK(ordered.files[1].error == -EISDIR);
}

TEST_CASE("the levels are told where they are asked for") {
  const TemporaryFolder folder;
  folder.write("a", std::string(5000, 'a'));
  const std::string a = folder.path("a");
  const char* paths[] = {a.c_str()};
  gb_order_options options = nothing_asked();
  options.flags = GB_ORDER_TELL_LEVELS;
  gb_order_list_t* list = nullptr;
  REQUIRE(gb_order_find(paths, 1, &options, &list) == 0);
  REQUIRE(gb_order_level_count(list) == 1);
  gb_order_level level{};
  level.size = sizeof level;
  REQUIRE(gb_order_level_at(list, 0, &level) == 0);
  CHECK(level.kind == GB_LEVEL_MEMORY);
  CHECK(level.files == 1);
  CHECK(level.bytes == 5000);
  CHECK(level.low_ns > 0);
  gb_order_file file{};
  file.size = sizeof file;
  REQUIRE(gb_order_at(list, 0, &file) == 0);
  CHECK(file.level == 0);
  CHECK(file.access_time_ns > 0);
  CHECK(gb_order_level_at(list, 1, &level) == -EINVAL);
  level.size = 8;
  CHECK(gb_order_level_at(list, 0, &level) == -EINVAL);
  gb_order_free(list);
}

TEST_CASE("who asks how far it is may end it, and nothing is left") {
  const auto enough = [](void* context, std::size_t) { return ++*static_cast<int*>(context) == 2 ? 1 : 0; };
  const std::vector<const char*> paths(1000, "/no/such");
  gb_order_options options = nothing_asked();
  int asked = 0;
  options.progress = enough;
  options.context = &asked;
  CHECK(order(paths, options).status == -ECANCELED);
  CHECK(asked == 2);
}

TEST_CASE("how dear seeks are is asked once for a device, and decides") {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b", "c"}) folder.write(name, "text");
  const std::string a = folder.path("a");
  const std::string b = folder.path("b");
  const std::string c = folder.path("c");
  gb_order_options options = nothing_asked();
  int asked = 0;
  options.context = &asked;
  options.random_over_sequential = [](void* context, const char*) {
    ++*static_cast<int*>(context);
    return 1.0;
  };
  for (const gb_order_file& file : order({a.c_str(), b.c_str(), c.c_str()}, options).files)
    CHECK(file.order == GB_ORDER_NONE);
  CHECK(asked == 1);
}

TEST_CASE(
    "a detector of the caller's stays the caller's, and one of the library's leaves no mapping behind") {
  const TemporaryFolder folder;
  folder.write("a", "text");
  const std::string a = folder.path("a");
  setenv("XDG_RUNTIME_DIR", folder.path("").c_str(), 1);
  gb_cache_t* detector = nullptr;
  REQUIRE(gb_cache_open(nullptr, &detector) == 0);
  gb_order_options options = nothing_asked();
  options.detector = detector;
  CHECK(order({a.c_str()}, options).files[0].cached_bytes == 4);
  CHECK(access(folder.path("gbp-probes").c_str(), F_OK) != 0);
  gb_cache_report report{};
  report.size = sizeof report;
  CHECK(gb_cache_inspect(detector, a.c_str(), &report) == 0);
  gb_cache_close(detector);
  CHECK(order({a.c_str()}, nothing_asked()).status == 0);
  CHECK(access(folder.path("gbp-probes").c_str(), F_OK) == 0);
  CHECK(mappings_of("gbp-probes") == 0);
  unsetenv("XDG_RUNTIME_DIR");
}

TEST_CASE("where memory runs out, wherever that is, it is an error value") {
  const TemporaryFolder folder;
  folder.write("a", std::string(5000, 'a'));
  const std::string a = folder.path("a");
  const char* paths[] = {a.c_str(), "/no/such", a.c_str()};
  gb_order_options options = nothing_asked();
  options.flags = GB_ORDER_TELL_LEVELS | GB_ORDER_BY_FOLDER;
  gb_status_t status = -ENOMEM;
  long failed = 0;
  for (; status == -ENOMEM; ++failed) {
    gb_order_list_t* list = nullptr;
    allocations_left = failed;
    status = gb_order_find(paths, 3, &options, &list);
    allocations_left = -1;
    REQUIRE((list == nullptr) == (status != 0));
    gb_order_free(list);
  }
  CHECK(status == 0);
  CHECK(failed > 5);
}

TEST_CASE("what makes no sense is refused") {
  gb_order_list_t* list = nullptr;
  const char* paths[] = {"/"};
  CHECK(gb_order_find(paths, 1, nullptr, nullptr) == -EINVAL);
  CHECK(gb_order_find(nullptr, 1, nullptr, &list) == -EINVAL);
  gb_order_options options = nothing_asked();
  options.mode = 3;
  CHECK(gb_order_find(paths, 1, &options, &list) == -EINVAL);
  options = nothing_asked();
  options.order = GB_ORDER_NONE + 1;
  CHECK(gb_order_find(paths, 1, &options, &list) == -EINVAL);
  options = nothing_asked();
  options.flags = 32;
  CHECK(gb_order_find(paths, 1, &options, &list) == -EINVAL);
  options = nothing_asked();
  options.size = 8;
  CHECK(gb_order_find(paths, 1, &options, &list) == -EINVAL);
  CHECK(list == nullptr);
  REQUIRE(gb_order_find(nullptr, 0, nullptr, &list) == 0);
  gb_order_file file{};
  file.size = sizeof file;
  CHECK(gb_order_at(list, 0, &file) == -EINVAL);
  CHECK(gb_order_at(list, 0, nullptr) == -EINVAL);
  gb_order_free(list);
  gb_order_free(nullptr);
  CHECK(gb_order_count(nullptr) == 0);
  CHECK(gb_order_level_count(nullptr) == 0);
}

TEST_CASE("a caller of a later release may have a longer structure, and one that is too short is refused") {
  struct Later {
    gb_order_options options;
    std::uint64_t wish;
  } later{nothing_asked(), 0};
  later.options.size = sizeof later;
  gb_order_list_t* list = nullptr;
  const char* paths[] = {"/no/such"};
  REQUIRE(gb_order_find(paths, 1, &later.options, &list) == 0);
  gb_order_file file{};
  file.size = sizeof file - 1;
  CHECK(gb_order_at(list, 0, &file) == -EINVAL);
  gb_order_free(list);
  later.wish = 1;
  CHECK(gb_order_find(paths, 1, &later.options, &list) == -E2BIG);
}
