// SPDX-License-Identifier: MIT
// readahead_differential: makes random sequences of reads on a real file. Each call is predicted first, and then made and compared.
//
// Usage: readahead_differential FILE WINDOW_PAGES REQUEST_PAGES FOLIO_ORDER_MAX FIRST_SEED SEQUENCES [RULES]
// FILE belongs to the user, lies on a disk, and its data is written back. WINDOW_PAGES and REQUEST_PAGES are the device's read-ahead window and largest request.
// RULES are those of toolbox/base/readahead_rules.hpp; without RULES they are those of the running kernel's release. Each sequence starts with an uncached file and
// fresh descriptors. Predictions are compared with read_bytes of /proc/self/io. Prints a line for each sequence with a call that was predicted wrong, then
// "EXACT of SEQUENCES, DISTURBED disturbed". A sequence that is wrong, and then right twice when it is repeated, was disturbed (the host drops idle pages,
// others read) and counts as exact. The exit status is 1 when the file cannot be used.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tools/discnice/predictor/predictor.hpp"

namespace {

using namespace discnice;
using namespace discnice::predictor;

constexpr int kDescriptorsMax = 3;
constexpr int kCallsMax = 200;
constexpr int kTriesMax = 10000;
constexpr long kCachestat = 451;
constexpr std::size_t kReadMax = std::size_t{1} << 20U;

// The kernel's struct cachestat_range and struct cachestat. The C library's headers may not have them yet.
struct CachedRange {
  std::uint64_t offset_bytes;
  std::uint64_t length_bytes;
};
struct CachedCount {
  std::uint64_t pages, dirty, in_writeback, evicted, evicted_lately;
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

std::uint64_t disk_bytes_so_far() {
  char text[512] = {};
  const int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  if (fd < 0 || read(fd, text, sizeof text - 1) <= 0) fail("/proc/self/io");
  close(fd);
  const char* place = std::strstr(text, "\nread_bytes: ");
  return place == nullptr ? 0 : std::strtoull(place + 13, nullptr, 10);
}

// The file, and the pages of it that are in the page cache as far as the model may know.
class File {
 public:
  explicit File(const char* path) : path_(path), fd_(open(path, O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (fd_ < 0 || fstat(fd_, &status) != 0) fail(path);
    id_ = {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
    size_bytes_ = static_cast<std::uint64_t>(status.st_size);
    resident_.resize((size_bytes_ + kPageBytes - 1) / kPageBytes);
    map_ = mmap(nullptr, size_bytes_, PROT_READ, MAP_SHARED, fd_, 0);
    if (map_ == MAP_FAILED) fail("mmap");
  }

  [[nodiscard]] const char* path() const { return path_; }
  [[nodiscard]] const FileId& id() const { return id_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

  // mincore() leaves out pages whose data is still on the way. The kernel's read-ahead counts them, and so does cachestat().
  void look() {
    for (int i = 0; i < kTriesMax; ++i) {
      const bool is_quiet = is_disk_quiet();
      if (mincore(map_, size_bytes_, resident_.data()) != 0) fail("mincore");
      std::uint64_t sum = 0;
      for (auto& page : resident_) sum += page &= 1U;
      CachedCount whole{};
      const CachedRange range{0, size_bytes_};
      const bool is_counted = syscall(kCachestat, fd_, &range, &whole, 0) == 0;
      if (!is_counted && errno != ENOSYS) fail("cachestat");
      if (is_counted ? sum == whole.pages : is_quiet) return;
      usleep(100);
    }
    fail("reads do not end");
  }

  void make_cold() {
    for (int i = 0; i < 1000; ++i) {
      posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED);
      look();
      if (count(0, resident_.size()) == 0) return;
      usleep(1000);
    }
    fail("the file stays cached");
  }

  [[nodiscard]] std::uint64_t count(std::uint64_t first_page, std::uint64_t page_count) const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = first_page; i < first_page + page_count && i < resident_.size(); ++i)
      sum += resident_[i];
    return sum;
  }

  // When there is no cachestat() (before 6.5): whether no request is on its way.
  [[nodiscard]] bool is_disk_quiet() const {
    const std::string name = "/sys/dev/block/" + std::to_string(major(id_.device)) + ":" +
                             std::to_string(minor(id_.device)) + "/inflight";
    char text[64] = {};
    const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    const bool is_told = fd >= 0 && read(fd, text, sizeof text - 1) > 0;
    if (fd >= 0) close(fd);
    return is_told && std::strtoul(text, nullptr, 10) == 0;
  }

  [[nodiscard]] const std::vector<unsigned char>& resident() const { return resident_; }

  ResidencyOracle oracle() {
    ResidencyOracle oracle;
    oracle.context = this;
    oracle.count_resident = [](void* context, std::uint64_t first_page, std::uint64_t page_count) {
      return static_cast<File*>(context)->count(first_page, page_count);
    };
    oracle.note_fetch = [](void* context, std::uint64_t first_page, std::uint64_t page_count) {
      auto& pages = static_cast<File*>(context)->resident_;
      for (std::uint64_t i = first_page; i < first_page + page_count && i < pages.size(); ++i) pages[i] = 1;
    };
    return oracle;
  }

 private:
  const char* path_;
  int fd_;
  FileId id_{};
  std::uint64_t size_bytes_ = 0;
  void* map_ = nullptr;
  std::vector<unsigned char> resident_;
};

struct Descriptor {
  int fd = -1;
  FileState state;
  std::uint64_t position = 0;
};

// One sequence. Its calls depend only on the seed, so a wrong sequence can be repeated.
class Sequence {
 public:
  Sequence(File& file, const ReadaheadLimits& limits, unsigned seed)
      : file_(file),
        limits_(limits),
        seed_(seed),
        numbers_(seed),
        buffer_(kReadMax),
        shape_(std::make_unique<CacheShape>()) {
    file_.make_cold();
    descriptors_.resize(1 + dice() % kDescriptorsMax);
    for (Descriptor& descriptor : descriptors_) {
      descriptor.fd = open(file_.path(), O_RDONLY | O_CLOEXEC);
      if (descriptor.fd < 0) fail(file_.path());
      descriptor.state.limits = limits_;
    }
  }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;
  ~Sequence() {
    for (const Descriptor& descriptor : descriptors_) close(descriptor.fd);
  }

  bool is_exact() {
    while (calls_ < kCallsMax && is_right_) phrase(descriptors_[dice() % descriptors_.size()]);
    return is_right_;
  }

 private:
  // Makes some calls of one kind.
  void phrase(Descriptor& descriptor) {
    static constexpr std::size_t kLengths[] = {1, 4096, 4096, 16384, 65536, 100000, kReadMax};
    const std::size_t length = kLengths[dice() % std::size(kLengths)];
    const unsigned count = 1 + dice() % 24;
    const std::uint64_t step = (1 + dice() % 16) * 4096;
    switch (dice() % 8) {
      case 0:
      case 1:
      case 2:
        return repeat(descriptor, length, count, length);
      case 3:
        return repeat(descriptor, length < step ? length : step, count, step);
      case 4:
        descriptor.position = dice() % file_.size_bytes();
        return;
      case 5:
        descriptor.position = dice() % file_.size_bytes() / 4096 * 4096;
        return repeat(descriptor, length, 1 + count / 8, length);
      case 6:
        for (unsigned i = 0; i < count && is_right_; ++i)
          call(descriptor, dice() % file_.size_bytes(), length);
        return;
      default:
        return give_advice(descriptor);
    }
  }

  void repeat(Descriptor& descriptor, std::size_t length, unsigned count, std::uint64_t step) {
    for (unsigned i = 0; i < count && is_right_; ++i) {
      call(descriptor, descriptor.position, length);
      descriptor.position = (descriptor.position + step) % file_.size_bytes();
    }
  }

  unsigned dice() { return static_cast<unsigned>(numbers_()); }

  void give_advice(Descriptor& descriptor) {
    static constexpr int kGiven[] = {POSIX_FADV_NORMAL, POSIX_FADV_SEQUENTIAL, POSIX_FADV_RANDOM};
    const unsigned which = dice() % 3;
    posix_fadvise(descriptor.fd, 0, 0, kGiven[which]);
    advise(descriptor.state.readahead, descriptor.state.limits, limits_, static_cast<Advice>(which));
  }

  void call(Descriptor& descriptor, std::uint64_t offset, std::size_t length) {
    file_.look();
    IoOp op{OpKind::read, file_.id(), offset, length, file_.size_bytes()};
    const std::vector<unsigned char> were_there = file_.resident();
    const ReadaheadState state = descriptor.state.readahead;
    const std::uint64_t predicted =
        estimate_read(op, descriptor.state, *shape_, file_.oracle(), ++now_ns_).read_bytes;
    const std::uint64_t before = disk_bytes_so_far();
    if (pread(descriptor.fd, buffer_.data(), length, static_cast<off_t>(offset)) < 0) fail("pread");
    const std::uint64_t moved = disk_bytes_so_far() - before;
    ++calls_;
    if (predicted == moved) return;
    is_right_ = false;
    std::printf(
        "seed %u, call %d: descriptor %td of %zu, %zu bytes at page %llu: predicted %llu pages, the disk "
        "read %llu; window before %llu + %llu, ahead %llu, previous %llu, advice %d, limit %llu\n",
        seed_, calls_, &descriptor - descriptors_.data(), descriptors_.size(), length,
        static_cast<unsigned long long>(offset / kPageBytes),
        static_cast<unsigned long long>(predicted / kPageBytes),
        static_cast<unsigned long long>(moved / kPageBytes), number(state.start_page),
        number(state.size_pages), number(state.ahead_pages), number(state.previous_end_bytes / kPageBytes),
        state.is_random ? 1 : 0, number(descriptor.state.limits.window_pages_max));
    tell_arrived(were_there);
  }

  static unsigned long long number(std::uint64_t value) { return value; }

  // Prints the ranges of pages that the model expected, and the ranges of pages that were fetched.
  void tell_arrived(const std::vector<unsigned char>& were_there) {
    const std::vector<unsigned char> expected =
        file_.resident();  // oracle() has marked what the model fetches
    tell_runs("expected", were_there, expected);
    file_.look();
    tell_runs("arrived", were_there, file_.resident());
  }

  static void tell_runs(const char* name, const std::vector<unsigned char>& before,
                        const std::vector<unsigned char>& after) {
    std::printf("  %s:", name);
    for (std::size_t page = 0; page < after.size(); ++page) {
      if (before[page] == after[page]) continue;
      std::size_t end = page;
      while (end < after.size() && before[end] != after[end]) ++end;
      std::printf(" %zu+%zu", page, end - page);
      page = end;
    }
    std::printf("\n");
  }

  File& file_;
  ReadaheadLimits limits_;
  unsigned seed_;
  std::mt19937 numbers_;
  std::vector<char> buffer_;
  std::unique_ptr<CacheShape> shape_;
  std::vector<Descriptor> descriptors_;
  std::uint64_t now_ns_ = 1;
  int calls_ = 0;
  bool is_right_ = true;
};

int running_release() {
  utsname kernel{};
  uname(&kernel);
  char* rest = nullptr;
  const long first = std::strtol(kernel.release, &rest, 10);
  return static_cast<int>(1000 * first + std::strtol(*rest == '.' ? rest + 1 : rest, nullptr, 10));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7 && argc != 8) {
    std::fputs(
        "usage: readahead_differential FILE WINDOW_PAGES REQUEST_PAGES FOLIO_ORDER_MAX FIRST_SEED "
        "SEQUENCES [RULES]\n",
        stderr);
    return 1;
  }
  File file(argv[1]);
  const ReadaheadLimits limits{
      std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10),
      static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10)),
      argc == 8 ? static_cast<gray::base::ReadaheadRules>(std::strtoul(argv[7], nullptr, 10))
                : gray::base::rules_of_release(running_release())};
  const auto first_seed = static_cast<unsigned>(std::strtoul(argv[5], nullptr, 10));
  const auto sequences = static_cast<unsigned>(std::strtoul(argv[6], nullptr, 10));
  unsigned exact = 0;
  unsigned disturbed = 0;
  const auto is_exact = [&](unsigned seed) { return Sequence(file, limits, seed).is_exact(); };
  for (unsigned seed = first_seed; seed < first_seed + sequences; ++seed) {
    if (is_exact(seed)) {
      ++exact;
    } else if (is_exact(seed) && is_exact(seed)) {
      ++exact;
      ++disturbed;
    }
  }
  std::printf("%u of %u, %u disturbed\n", exact, sequences, disturbed);
}
