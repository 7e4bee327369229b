// SPDX-License-Identifier: MIT
//
// Knowledge assumed: as in kernel/residency. A page that was just written or read is in memory. After POSIX_FADV_DONTNEED a clean page is not in
//   memory.
// Output observed: what each method says about a page that was just read, and about the same page after POSIX_FADV_DONTNEED.
// Inference drawn: a job uses the first method that finds the page present. Pages can be dropped if the method then finds the page absent.
// What breaks it: another process that reads the same page in between.
#include "tools/discnice/cli/doctor_cache.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "toolbox/base/fd.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/kernel/cachestat.hpp"

namespace discnice::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kProbePages = 16;
constexpr int kFilesMax = 256;  // the most files of a folder that are examined
constexpr const char* kWellKnown[] = {"/etc/passwd", "/etc/hosts", "/usr/bin/env", "/bin/sh", "/etc/fstab"};

// Returns how many pages are in memory, or a negative errno.
long count_by_cachestat(int fd, std::size_t pages) {
  guest::CachestatAnswer answer{};
  const long error = guest::ask_cachestat(fd, 0, pages * kPageBytes, &answer);
  return gray::base::is_raw_error(error) ? error : static_cast<long>(answer.cached);
}

long count_by_mincore(int fd, std::size_t pages) {
  void* const memory = mmap(nullptr, pages * kPageBytes, PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return -errno;
  unsigned char marks[kProbePages] = {};
  const bool is_told = mincore(memory, pages * kPageBytes, marks) == 0;
  munmap(memory, pages * kPageBytes);
  if (!is_told) return -errno;
  return std::count_if(marks, marks + pages, [](unsigned char mark) { return (mark & 1U) != 0; });
}

long count_by(CacheWay way, int fd, std::size_t pages) {
  return way == CacheWay::cachestat ? count_by_cachestat(fd, pages) : count_by_mincore(fd, pages);
}

bool is_somebody_elses(const std::string& path, dev_t device) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_dev == device &&
         status.st_size > 0 && status.st_uid != geteuid() && access(path.c_str(), R_OK) == 0 &&
         (geteuid() == 0 || access(path.c_str(), W_OK) != 0);
}

}  // namespace

const char* name_of(CacheWay way) {
  switch (way) {
    case CacheWay::cachestat:
      return "cachestat";
    case CacheWay::mincore:
      return "mincore";
    case CacheWay::nowait:
      return "nowait";
    case CacheWay::timed:
      break;
  }
  return "timed";
}

OwnCache probe_own_cache(int fd) {
  std::vector<char> bytes(kProbePages * kPageBytes, 'x');
  if (write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return {};
  const auto all = static_cast<long>(kProbePages);
  for (const CacheWay way : {CacheWay::cachestat, CacheWay::mincore}) {
    if (pread(fd, bytes.data(), bytes.size(), 0) < 0 || count_by(way, fd, kProbePages) != all) continue;
    fdatasync(fd);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return {way, count_by(way, fd, kProbePages) == 0};
  }
  return {};
}

CacheWay probe_others_cache(int fd) {
  char byte = 0;
  posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  if (pread(fd, &byte, 1, 0) != 1) return CacheWay::timed;
  if (count_by_cachestat(fd, 1) == 1) return CacheWay::cachestat;
  const iovec one{&byte, 1};
  return preadv2(fd, &one, 1, 0, RWF_NOWAIT) == 1 ? CacheWay::nowait : CacheWay::timed;
}

std::string find_others_file(const std::string& folder, dev_t device) {
  std::error_code error;
  int left = kFilesMax;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator() && left-- > 0;
       at.increment(error))
    if (is_somebody_elses(at->path().string(), device)) return at->path().string();
  for (const char* path : kWellKnown)
    if (is_somebody_elses(path, device)) return path;
  return "";
}

}  // namespace discnice::cli
