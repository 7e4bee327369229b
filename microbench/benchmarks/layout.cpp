// SPDX-License-Identifier: MIT
// layout: tests whether files in a fresh folder lie on the disk in the order of their i-numbers.
//
// Knowledge assumed: a file gets its i-number when it is made, and its blocks when its data is written back. Observed:
// the i-number and, by FIEMAP, the first extent of files made one after the other. They are read after one sync of the file system, so that the files are placed as by the
// kernel's own write-back. Inferred: the rank correlation of the two, as the median of many folders. In one of three folders with a hundred files each, ext4 begins a new stretch
// of free space half way. This alone makes the correlation 0 or less. A sync of each file makes the correlation lower still. What breaks it: a file system that
// tells no addresses, or whose addresses are not addresses on the disk (btrfs).
#include <sys/stat.h>
#include <unistd.h>

#include "libgray/src/os/os.hpp"
#include "microbench/passing_names.hpp"
#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"
#include "toolbox/stats/correlation.hpp"

namespace microbench {
namespace {

using gray::base::ScopedFd;

// Enough files to rank, and few enough that they usually fit in one stretch of free space.
constexpr std::size_t kFiles = 40;
constexpr std::size_t kFolders = 15;
constexpr std::uint64_t kPagesMax = 8;

constexpr Output kOutputs[] = {
    {"layout.inode_order", "1", "fiemap",
     "rank correlation of i-number and place on disk in a fresh folder, 0 if below 0", "",
     "whether programs that sort by i-number have nearly the order of the disk in folders made at once; near "
     "0 only gbp -file has",
     true},
};

class LayoutSession : public Session {
 public:
  explicit LayoutSession(const Context& context) : Session(context) {
    if (!context.file->is_writable()) throw NotAvailable("no files may be made there");
  }

  void round() override {
    const std::vector<ScopedFd> files = make_files();
    for (const ScopedFd& file : files) {
      const std::uint64_t pages = 1 + context().file->random()() % kPagesMax;
      write_all(file.get(), context().file->buffer(), pages * kPageBytes, 0);
    }
    if (syncfs(files.front().get()) != 0) throw NotAvailable("the disk does not take what is written");
    std::vector<double> inodes;
    std::vector<double> places;
    for (const ScopedFd& file : files) {
      struct stat info {};
      const bool is_known = fstat(file.get(), &info) == 0;
      const auto place = gray::os::first_extent_bytes(file.get());
      if (!is_known || !place) throw NotAvailable("this file system does not tell where files lie");
      inodes.push_back(static_cast<double>(info.st_ino));
      places.push_back(static_cast<double>(place.value()));
    }
    const auto correlation = gray::stats::spearman_correlation(inodes, places);
    if (!correlation) throw NotAvailable("all files lie at one place");
    add("layout.inode_order", std::max(correlation.value(), 0.0));
  }

  [[nodiscard]] std::size_t rounds_min() const override { return kFolders; }
  [[nodiscard]] std::size_t rounds_max() const override { return kFolders; }

 private:
  // The folder has a name and is a real folder, because the folder decides where files are placed. The files have no names, or lose their names at once. The
  // folder is removed when the files are made.
  std::vector<ScopedFd> make_files() {
    const PassingFolder folder(context().file->directory());
    std::vector<ScopedFd> files;
    while (files.size() < kFiles) files.push_back(make_nameless(folder.path(), 0));
    return files;
  }
};

}  // namespace

extern const Benchmark kLayout{"layout",
                               "where files are put",
                               "Forty files of a few pages in a fresh folder, several times; their places on "
                               "the disk as the file system tells them.",
                               Needs::kTestFile,
                               Effort::kQuick,
                               kOutputs,
                               make_session<LayoutSession>};

}  // namespace microbench
