// SPDX-License-Identifier: MIT
#include "tools/discnice/shim/disk_watch.hpp"

#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/short_text.hpp"
#include "tools/discnice/policy/foreground.hpp"
#include "tools/discnice/policy/lumps.hpp"
#include "tools/discnice/shim/account.hpp"

namespace discnice::shim {
namespace {

using gray::base::append_number;
using gray::base::append_text;
using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;

constexpr std::size_t kStatBytesMax = 512;
constexpr std::size_t kPathBytesMax = 96;

std::atomic<protocol::Disk*> disk_last_used{nullptr};

// Which file counts for a disk; of a partition the whole disk's, for its one head serves all of them.
enum class Counters : std::uint8_t { untested, own, whole_disk, none };
std::atomic<Counters> counters_of[protocol::kDisksMax];

void counters_path(char* out, std::uint64_t number, const char* file) {
  out = append_text(out, "/sys/dev/block/");
  out = append_number(out, major(number));
  out = append_text(out, ":");
  out = append_number(out, minor(number));
  *append_text(out, file) = '\0';
}

long read_small_file(const char* path, char* text, std::size_t room) {
  const long fd = raw_syscall(SYS_openat, AT_FDCWD, word(path), O_RDONLY | O_CLOEXEC, 0);
  if (is_raw_error(fd)) return fd;
  const long length = raw_syscall(SYS_read, fd, word(text), static_cast<long>(room));
  raw_syscall(SYS_close, fd);
  return length;
}

Counters test_counters(std::uint64_t number) {
  char path[kPathBytesMax];
  counters_path(path, number, "/partition");
  if (!is_raw_error(raw_syscall(SYS_faccessat, AT_FDCWD, word(path), 0))) return Counters::whole_disk;
  counters_path(path, number, "/stat");
  return is_raw_error(raw_syscall(SYS_faccessat, AT_FDCWD, word(path), 0)) ? Counters::none : Counters::own;
}

bool take_sample(std::uint64_t number, unsigned place, DiskSample* sample) {
  Counters counters = counters_of[place].load(std::memory_order_relaxed);
  if (counters == Counters::untested) {
    counters = test_counters(number);
    counters_of[place].store(counters, std::memory_order_relaxed);
  }
  if (counters == Counters::none) return false;
  char path[kPathBytesMax];
  char text[kStatBytesMax];
  counters_path(path, number, counters == Counters::whole_disk ? "/../stat" : "/stat");
  const long length = read_small_file(path, text, sizeof text);
  return length > 0 && policy::parse_disk_sample(text, static_cast<std::size_t>(length), sample);
}

DiskActivity load_activity(const protocol::Disk& disk) {
  std::uint64_t words[protocol::kActivityWords] = {};
  for (unsigned i = 0; i < protocol::kActivityWords; ++i)
    words[i] = disk.activity[i].load(std::memory_order_relaxed);
  DiskActivity activity;
  std::memcpy(&activity, words, sizeof activity);
  return activity;
}

// Two members that both came to look, one of them very late, may mix their words: one wrong look, righted by the next.
void store_activity(protocol::Disk& disk, const DiskActivity& activity) {
  std::uint64_t words[protocol::kActivityWords] = {};
  std::memcpy(words, &activity, sizeof activity);
  for (unsigned i = 0; i < protocol::kActivityWords; ++i)
    disk.activity[i].store(words[i], std::memory_order_relaxed);
}

// True for the one member whose turn it is to look.
bool takes_look(protocol::Disk& disk, std::uint64_t now_ns) {
  std::uint64_t before_ns = disk.sampled_at_ns.load(std::memory_order_relaxed);
  const bool is_fresh = before_ns <= now_ns && now_ns - before_ns < kLookNs;
  return !is_fresh &&
         disk.sampled_at_ns.compare_exchange_strong(before_ns, now_ns, std::memory_order_relaxed);
}

}  // namespace

protocol::Disk* disk_of(Job& job, Device& device) {
  protocol::Disk* known = device.disk.load(std::memory_order_relaxed);
  if (known == nullptr && device.is_ledger_kept) {
    for (protocol::Disk& disk : job.segment->disks) {
      std::uint64_t number = 0;
      if (!disk.number.compare_exchange_strong(number, device.number + 1, std::memory_order_relaxed) &&
          number != device.number + 1)
        continue;
      known = &disk;
      break;
    }
    device.disk.store(known, std::memory_order_relaxed);
  }
  if (known != nullptr) disk_last_used.store(known, std::memory_order_relaxed);
  return known;
}

protocol::Disk* last_disk() {
  return disk_last_used.load(std::memory_order_relaxed);
}

void book_own_traffic(protocol::Disk* disk, std::int64_t read_bytes, std::int64_t write_bytes) {
  if (disk == nullptr) return;
  if (read_bytes != 0)
    disk->own_read_bytes.fetch_add(static_cast<std::uint64_t>(read_bytes), std::memory_order_relaxed);
  if (write_bytes != 0)
    disk->own_written_bytes.fetch_add(static_cast<std::uint64_t>(write_bytes), std::memory_order_relaxed);
}

bool look_at_disk(Job& job, protocol::Disk& disk, Looking looking, const Grant& grant, std::uint64_t now_ns,
                  DiskActivity* activity) {
  const auto place = static_cast<unsigned>(&disk - job.segment->disks);
  *activity = load_activity(disk);
  if (looking == Looking::as_known || !takes_look(disk, now_ns)) return activity->sampled_at_ns != 0;
  settle(job);  // what we did ourselves must not be taken for somebody else's
  DiskSample sample;
  const std::uint64_t number = disk.number.load(std::memory_order_relaxed);
  if (number == 0 || !take_sample(number - 1, place, &sample)) return false;
  const OwnTraffic own{disk.own_read_bytes.load(std::memory_order_relaxed),
                       disk.own_written_bytes.load(std::memory_order_relaxed)};
  *activity = policy::observe(*activity, sample, own, grant, now_ns);
  store_activity(disk, *activity);
  return true;
}

bool is_disk_shared(const protocol::Disk* disk, std::uint64_t now_ns) {
  return disk != nullptr && policy::was_shared_within(policy::kLumpMemoryNs, load_activity(*disk), now_ns);
}

}  // namespace discnice::shim
