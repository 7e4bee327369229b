// SPDX-License-Identifier: MIT
#include "libgray/src/order/look.hpp"

#include <algorithm>
#include <cerrno>
#include <map>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libgray/src/order/last_folder.hpp"
#include "libgray/src/os/os.hpp"

namespace gray::order {
namespace {

// The size of the sample, evenly spread over the input, that decides whether any order can save time.
constexpr std::size_t kSample = 32;

constexpr std::size_t kProgressStep = 64;  // reading the clock for each file would cost noticeable time

class ScopedFile {
 public:
  explicit ScopedFile(const Relative& file)
      : fd_(openat(file.folder_fd, file.name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {}
  ~ScopedFile() {
    if (fd_ >= 0) close(fd_);
  }
  ScopedFile(const ScopedFile&) = delete;
  ScopedFile& operator=(const ScopedFile&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

class Look {
 public:
  explicit Look(const Request& request) : request_(request) {}

  // Whether each file of a sample is wholly in memory, by the kernel's count, or on a device where no order saves time.
  bool is_order_worthless(const char* const* paths, std::size_t count) {
    const std::size_t step = std::max<std::size_t>(count / kSample, 1);
    for (std::size_t i = 0; i < count; i += step) {
      if (paths[i] == nullptr) return false;
      File file;
      file.path = paths[i];
      const Relative place = folder_.find(file.path);
      look_at_stat(place, file);
      if (file.error != 0) return false;
      if (!is_whole(place, file) && order_for(file) != layout::Order::none) return false;
    }
    return true;
  }

  void give_up_order() { is_order_given_up_ = true; }

  void at(File& file) {
    const Relative place = folder_.find(file.path);
    if (is_order_given_up_ && !request_.is_extent_told) {
      look_at_access(place, file);
      return;
    }
    look_at_stat(place, file);
    if (file.error != 0 || refuse_unreadable(file)) return;
    file.order = order_for(file);
    const bool is_extent_wanted =
        request_.is_extent_told || (request_.is_place_wanted() && file.order == layout::Order::extent);
    if (!is_regular_ || !(request_.is_cache_wanted() || is_extent_wanted)) {
      look_at_access(place, file);
      return;
    }
    const ScopedFile open_file(place);
    if (open_file.get() < 0) {
      file.error = -errno;
      return;
    }
    if (request_.is_cache_wanted()) look_at_cache(open_file.get(), file);
    if (is_extent_wanted) look_at_extent(open_file.get(), file);
  }

 private:
  // A folder cannot be read as a file, and a pipe or socket would block the program that opens it. In an order by place folders are allowed, for instance for tar.
  bool refuse_unreadable(File& file) const {
    if (S_ISDIR(kind_) && request_.is_cache_wanted()) file.error = -EISDIR;
    if (S_ISFIFO(kind_) || S_ISSOCK(kind_)) file.error = -EOPNOTSUPP;
    return file.error != 0;
  }

  bool is_whole(const Relative& place, File& file) {
    if (!is_regular_) return false;
    const ScopedFile open_file(place);
    if (open_file.get() < 0) return false;
    look_at_cache(open_file.get(), file);
    const bool is_counted = file.backend <= filecache::Backend::mincore || file.size_bytes == 0;
    return is_counted && file.cached_fraction >= 1;
  }

  // The reader of the list will read the file, so the file must be readable.
  static void look_at_access(const Relative& place, File& file) {
    if (faccessat(place.folder_fd, place.name, R_OK, AT_EACCESS) != 0) file.error = -errno;
  }

  void look_at_stat(const Relative& place, File& file) {
    struct stat status {};
    if (fstatat(place.folder_fd, place.name, &status, 0) != 0) {
      file.error = -errno;
      return;
    }
    constexpr std::int64_t kNsPerSecond = 1'000'000'000;
    kind_ = status.st_mode;
    is_regular_ = S_ISREG(status.st_mode);
    file.size_bytes = is_regular_ ? static_cast<std::uint64_t>(status.st_size) : 0;
    file.device = status.st_dev;
    file.inode = status.st_ino;
    file.modified_ns = status.st_mtim.tv_sec * kNsPerSecond + status.st_mtim.tv_nsec;
  }

  void look_at_cache(int fd, File& file) {
    const base::Result<filecache::CacheReport> found = request_.detector().inspect_open(fd);
    file.error = found.error();
    if (!found) return;
    file.cached_fraction = static_cast<float>(found.value().cached_fraction);
    file.confidence = static_cast<float>(found.value().confidence);
    file.backend = found.value().backend;
    file.access_ns = static_cast<float>(found.value().access_ns);
  }

  static void look_at_extent(int fd, File& file) {
    const base::Result<std::uint64_t> extent = os::first_extent_bytes(fd);
    file.has_first_extent = extent.is_ok();
    file.first_extent_bytes = extent.value_or(0);
  }

  // The order for a device is determined once, at its first file.
  layout::Order order_for(const File& file) {
    if (request_.order != layout::Order::automatic) return request_.order;
    if (is_order_given_up_) return layout::Order::none;
    const auto known = advice_.find(file.device);
    if (known != advice_.end()) return known->second;
    const double ratio = request_.random_over_sequential(file.path);
    return advice_[file.device] = layout::advise(file.path, ratio).value_or(layout::Order::none);
  }

  const Request& request_;
  LastFolder folder_;
  mode_t kind_ = 0;          // of the file examined last
  bool is_regular_ = false;  // whether that file is a regular file
  bool is_order_given_up_ = false;
  std::map<std::uint64_t, layout::Order> advice_;  // by device
};

}  // namespace

int look_at(const char* const* paths, std::size_t count, const Request& request, std::vector<File>& files) {
  Look look(request);
  if (request.order == layout::Order::automatic && !request.is_cache_wanted() &&
      look.is_order_worthless(paths, count))
    look.give_up_order();
  files.clear();
  files.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    File& file = files.emplace_back();
    if (paths[i] == nullptr) {
      file.error = -EINVAL;
    } else {
      file.path = paths[i];
      look.at(file);
    }
    if (i % kProgressStep == 0 && !request.goes_on(i)) return -ECANCELED;
  }
  return 0;
}

}  // namespace gray::order
