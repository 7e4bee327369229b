// SPDX-License-Identifier: MIT
#include "tools/gbp/cost.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/progress.hpp"
#include "tools/gbp/last_folder.hpp"

namespace gbp {
namespace {

// So many files, evenly over the input, stand for all when it is asked whether there is anything to gain.
constexpr std::size_t kSample = 32;

constexpr std::uint64_t kBudgetForNothing = 1;  // bytes: no page fits in

constexpr std::size_t kProgressStep = 64;  // looking at the clock for each file would be felt

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
  // By itself the order by layout asks only whether all is in memory: to be told "no" must cost no seek.
  explicit Look(const Wanted& wanted)
      : wanted_(wanted), detector_(open_detector(wanted, wanted.backend, wanted.is_cache_wanted)) {}

  [[nodiscard]] bool is_ready() const { return detector_ != nullptr; }

  // Are these all in memory, as the kernel counts, or where no order pays?
  bool is_order_worthless(const Names& names) {
    const std::size_t step = std::max<std::size_t>(names.size() / kSample, 1);
    for (std::size_t i = 0; i < names.size(); i += step) {
      File file;
      file.path = names[i];
      const Relative place = folder_.find(file.path);
      look_at_stat(place, file);
      if (file.error != 0) return false;
      if (!is_whole(place, file) && order_for(file) != GB_ORDER_NONE) return false;
    }
    return true;
  }

  void give_up_order() { is_order_given_up_ = true; }

  void at(File& file) {
    const Relative place = folder_.find(file.path);
    if (is_order_given_up_ && !wanted_.is_extent_told) {
      look_at_access(place, file);
      return;
    }
    look_at_stat(place, file);
    if (file.error != 0 || refuse_unreadable(file)) return;
    file.order = order_for(file);
    const bool is_extent_wanted =
        wanted_.is_extent_told || (wanted_.is_layout_wanted && file.order == GB_ORDER_EXTENT);
    if (!is_regular_ || !(wanted_.is_cache_wanted || is_extent_wanted)) {
      look_at_access(place, file);
      return;
    }
    const ScopedFile open_file(place);
    if (open_file.get() < 0) {
      file.error = -errno;
      return;
    }
    if (wanted_.is_cache_wanted) look_at_cache(open_file.get(), file);
    if (is_extent_wanted) look_at_extent(open_file.get(), file);
  }

 private:
  // A folder cannot be read as a file, and a pipe or socket would hold up whoever opens it. In the order of their places folders may be wanted:
  // for tar, say.
  bool refuse_unreadable(File& file) const {
    if (S_ISDIR(kind_) && wanted_.is_cache_wanted) file.error = -EISDIR;
    if (S_ISFIFO(kind_) || S_ISSOCK(kind_)) file.error = -EOPNOTSUPP;
    return file.error != 0;
  }

  bool is_whole(const Relative& place, File& file) {
    if (!is_regular_) return false;
    const ScopedFile open_file(place);
    if (open_file.get() < 0) return false;
    look_at_cache(open_file.get(), file);
    const bool is_counted = file.backend <= GB_BACKEND_MINCORE || file.size_bytes == 0;
    return is_counted && file.cached_fraction >= 1;
  }

  // Whoever gets the list wants to read the file.
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
    gb_cache_report report{};
    report.size = sizeof report;
    file.error = gb_cache_inspect_fd(detector_.get(), fd, &report);
    if (file.error != 0) return;
    file.cached_fraction = static_cast<float>(report.cached_fraction);
    file.confidence = static_cast<float>(report.confidence);
    file.backend = static_cast<std::uint8_t>(report.backend);
    file.access_ns = static_cast<float>(report.access_time_ns);
  }

  static void look_at_extent(int fd, File& file) {
    gb_layout_place place{};
    place.size = sizeof place;
    if (gb_layout_find_fd(fd, &place) != 0) return;
    file.has_first_extent = place.has_first_extent != 0;
    file.first_extent_bytes = place.first_extent_bytes;
  }

  // The advice for a device is asked for once, at its first file.
  std::uint8_t order_for(const File& file) {
    if (wanted_.order != GB_ORDER_AUTO) return static_cast<std::uint8_t>(wanted_.order);
    if (is_order_given_up_) return GB_ORDER_NONE;
    const auto known = advice_.find(file.device);
    if (known != advice_.end()) return known->second;
    gb_order_t order = GB_ORDER_NONE;
    gb_layout_advise(file.path, wanted_.host->random_over_sequential, &order);
    return advice_[file.device] = static_cast<std::uint8_t>(order);
  }

  const Wanted& wanted_;
  Detector detector_;
  LastFolder folder_;
  mode_t kind_ = 0;          // of the file looked at last
  bool is_regular_ = false;  // likewise
  bool is_order_given_up_ = false;
  std::map<std::uint64_t, std::uint8_t> advice_;  // by device
};

}  // namespace

gb_cache_t* open_detector(const Wanted& wanted, gb_backend_t backend, bool may_probe) {
  gb_cache_options options{};
  options.size = sizeof options;
  options.backend = backend;
  if (may_probe) {
    options.prediction_unit_bytes = wanted.host->prediction_unit_bytes;
    options.hit_time_max_ns = wanted.host->hit_time_max_ns;
    if (!wanted.host->memory_path.empty()) options.memory_path = wanted.host->memory_path.c_str();
  } else {
    options.probe_budget_bytes = kBudgetForNothing;
  }
  gb_cache_t* detector = nullptr;
  const gb_status_t status = gb_cache_open(&options, &detector);
  if (status != 0) gray::cli::warn("no detector: {}", gb_status_text(status));
  return detector;
}

std::vector<File> look_at(const Names& names, const Wanted& wanted) {
  Look look(wanted);
  if (wanted.order == GB_ORDER_AUTO && !wanted.is_cache_wanted && look.is_ready() &&
      look.is_order_worthless(names))
    look.give_up_order();
  gray::cli::Progress progress("looking at files", names.size());
  std::vector<File> files;
  files.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    File& file = files.emplace_back();
    file.path = names[i];
    if (look.is_ready()) {
      look.at(file);
    } else {
      file.error = -ENOMEM;
    }
    if (i % kProgressStep == 0) progress.set(i);
  }
  return files;
}

}  // namespace gbp
