// SPDX-License-Identifier: MIT
// last_folder_test: a name relative to a folder that is held open leads to the same file as its path.
//
// How: the test makes files in fresh folders. The result of find() shows whether a name was looked up in a folder that is held open. Left out: how much time
// this saves (script/bench gbp).
#include "tests/support/catch.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libgray/src/order/last_folder.hpp"

namespace {

constexpr int kNames = 40;  // more names in a row than it takes to hold a folder open

class Folders {
 public:
  Folders() {
    std::string top = (std::filesystem::temp_directory_path() / "gbp-folders.XXXXXX").string();
    REQUIRE(mkdtemp(top.data()) != nullptr);
    top_ = top;
    for (const char* folder : {"a", "b"}) {
      std::filesystem::create_directory(top_ / folder);
      for (int i = 0; i < kNames; ++i) std::ofstream(path(folder, i)) << folder << i;
    }
  }
  ~Folders() { std::filesystem::remove_all(top_); }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;
  [[nodiscard]] std::string path(const char* folder, int i) const {
    return (top_ / folder / ("f" + std::to_string(i))).string();
  }
  [[nodiscard]] std::string top() const { return top_.string(); }

 private:
  std::filesystem::path top_;
};

// The inode number of a file; 0 if there is no such file.
ino_t inode_of(const gray::order::Relative& file) {
  struct stat status {};
  return fstatat(file.folder_fd, file.name, &status, 0) == 0 ? status.st_ino : 0;
}

ino_t inode_of(const std::string& path) {
  return inode_of(gray::order::Relative{AT_FDCWD, path.c_str()});
}

bool is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}

// Looks up names of `folder` until a name is looked up in the open folder itself.
int hold(gray::order::LastFolder& last, const Folders& folders, const char* folder) {
  for (int i = 0; i < kNames; ++i) {
    const std::string path = folders.path(folder, i);
    const gray::order::Relative found = last.find(path.c_str());
    CHECK(inode_of(found) == inode_of(path));
    if (found.folder_fd != AT_FDCWD) return found.folder_fd;
  }
  FAIL("no folder was held open");
  return -1;
}

}  // namespace

TEST_CASE("names of one folder come to be found in it, and each is the file of its path") {
  const Folders folders;
  gray::order::LastFolder last;
  const int held = hold(last, folders, "a");
  for (int i = 0; i < kNames; ++i) {
    const std::string path = folders.path("a", i);
    const gray::order::Relative found = last.find(path.c_str());
    CHECK(found.folder_fd == held);
    CHECK(inode_of(found) == inode_of(path));
  }
}

TEST_CASE("a folder is closed when a name of another comes, and at the end") {
  const Folders folders;
  int held = -1;
  {
    gray::order::LastFolder last;
    held = hold(last, folders, "a");
    const std::string other = folders.path("b", 0);
    CHECK(inode_of(last.find(other.c_str())) == inode_of(other));
    CHECK(!is_open(held));
    held = hold(last, folders, "b");
    CHECK(is_open(held));
  }
  CHECK(!is_open(held));
}

TEST_CASE("names that take turns between folders open none") {
  const Folders folders;
  gray::order::LastFolder last;
  for (int i = 0; i < 2 * kNames; ++i) {
    const std::string path = folders.path(i % 2 == 0 ? "a" : "b", i / 2);
    CHECK(last.find(path.c_str()).folder_fd == AT_FDCWD);
  }
}

TEST_CASE("names without a folder, of a folder, or of none that there is are left as they are") {
  const Folders folders;
  const std::string name = GENERATE(std::string("plain"), std::string("a/"), std::string("/"), std::string());
  const std::string path = name == "a/" ? folders.top() + "/a/" : name;
  gray::order::LastFolder last;
  for (int i = 0; i < kNames; ++i) {
    const gray::order::Relative found = last.find(path.c_str());
    CHECK(found.folder_fd == AT_FDCWD);
    CHECK(found.name == path.c_str());
  }
  const std::string gone = folders.top() + "/none/f";
  for (int i = 0; i < kNames; ++i) CHECK(inode_of(last.find(gone.c_str())) == 0);
}

TEST_CASE("a path that the kernel refuses for its length is refused beside short ones, too") {
  const Folders folders;
  gray::order::LastFolder last;
  std::string folder = folders.top() + "/a/";
  while (folder.size() + 2 < PATH_MAX - 100) folder += "./";
  for (int i = 0; i < kNames; ++i) last.find((folder + "f1").c_str());
  REQUIRE(last.find((folder + "f1").c_str()).folder_fd != AT_FDCWD);
  const std::string longest = folder + std::string(PATH_MAX - 1 - folder.size(), 'x');
  errno = 0;
  CHECK(inode_of(last.find(longest.c_str())) == 0);
  CHECK(errno == ENOENT);
  CHECK(inode_of(last.find((longest + "x").c_str())) == 0);
  CHECK(errno == ENAMETOOLONG);
}
