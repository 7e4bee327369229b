// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/segment.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/short_text.hpp"
#include "tools/discnice/protocol/guarded_word.hpp"
#include "tools/discnice/protocol/lane_account.hpp"
#include "tools/discnice/protocol/record_format.hpp"
#include "tools/discnice/protocol/reserve.hpp"
#include "tools/discnice/protocol/ring.hpp"
#include "tools/discnice/protocol/shared_file.hpp"

namespace discnice::protocol {
namespace {

using gray::base::append_number;
using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::Result;
using gray::base::word;

constexpr int kNameTriesMax = 16;

struct Path {
  char text[sizeof kSegmentFolder + kSegmentNameBytesMax];
};

Path path_of(const char* name, std::size_t length) {
  Path path{};
  std::memcpy(path.text, kSegmentFolder, sizeof kSegmentFolder - 1);
  std::memcpy(path.text + sizeof kSegmentFolder - 1, name, length);
  return path;
}

SegmentName new_name(std::uint64_t salt) {
  SegmentName name;
  std::memcpy(name.text, kSegmentPrefix, sizeof kSegmentPrefix - 1);
  char* out = name.text + sizeof kSegmentPrefix - 1;
  out = append_number(out, static_cast<std::uint64_t>(raw_syscall(SYS_geteuid)));
  *out++ = '-';
  out = append_number(out, static_cast<std::uint64_t>(raw_syscall(SYS_getpid)));
  *out++ = '-';
  append_number(out, salt);
  return name;
}

Result<Segment*> map(long descriptor, int flags) {
  const long address =
      raw_syscall(SYS_mmap, 0, sizeof(Segment), PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (is_raw_error(address)) return Result<Segment*>::failure(static_cast<int>(address));
  return reinterpret_cast<Segment*>(address);
}

// Unlimited: whatever is wrong with a grant, the program goes on.
constexpr Grant kUnlimitedGrant{};

// Odd factors: a change of one byte always changes the sum.
std::uint64_t sum_of(const Grant& grant) {
  static_assert(sizeof(Grant) % sizeof(std::uint64_t) == 0);
  std::uint64_t words[sizeof(Grant) / sizeof(std::uint64_t)];
  std::memcpy(words, &grant, sizeof grant);
  std::uint64_t sum = kSegmentMagic;
  std::uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
  for (const std::uint64_t one : words) {
    sum += one * factor;
    factor += 2;
  }
  return sum;
}

// The sum notices a wrong byte, and this a wrong writer. What a number means is the policy's to say, which takes any.
bool is_possible(const Grant& grant) {
  return grant.smooth_writes <= SmoothWrites::off && grant.window_ns <= kAheadMaxNs && grant.weight != 0;
}

std::uint32_t sum_of(std::uint64_t lent_rate, std::uint64_t lent_at_ns, std::uint32_t is_daemon) {
  const std::uint64_t words[] = {kSegmentMagic, lent_rate, lent_at_ns, is_daemon};
  return checksum_of(words, sizeof words);
}

void restart_accounts(Segment& segment, std::uint64_t now_ns) {
  settle_lanes(segment, now_ns);
  store_instant(segment.last_go, now_ns);
}

void fill(Segment& segment, const SegmentName& name, const char* job_name, const Grant& grant,
          const JobOptions& options) {
  segment.version = kSegmentVersion;
  segment.size_bytes = sizeof(Segment);
  segment.owner_uid = static_cast<std::uint32_t>(raw_syscall(SYS_geteuid));
  segment.creator_pid = static_cast<std::uint32_t>(raw_syscall(SYS_getpid));
  segment.created_ns = gray::base::monotonic_ns();
  std::strncpy(segment.job_name, job_name, kJobNameBytesMax - 1);
  std::memcpy(segment.file_name, name.text, sizeof segment.file_name);
  segment.options = options;
  restart_accounts(segment, segment.created_ns);
  store_grant(segment, grant);
  segment.magic.store(kSegmentMagic, std::memory_order_release);  // pairs with the acquire in check()
}

// Without the memory of what is used later, where that can be had later.
long reserve_first(long descriptor, Segment& segment) {
  segment.is_all_reserved = can_reserve_later(segment) ? 0 : 1;
  return segment.is_all_reserved == 0 ? 0 : raw_syscall(SYS_fallocate, descriptor, 0, 0, sizeof(Segment));
}

// Reserves and maps a file just made; the file is removed again when that fails.
Result<Segment*> set_up(long descriptor, const Path& path) {
  long status = raw_syscall(SYS_ftruncate, descriptor, sizeof(Segment));
  if (!is_raw_error(status)) status = raw_syscall(SYS_fallocate, descriptor, 0, 0, kFirstBytes);
  Result<Segment*> mapped = Result<Segment*>::failure(-EIO);
  if (!is_raw_error(status)) {
    mapped = map(descriptor, MAP_SHARED);
    status = mapped ? reserve_first(descriptor, *mapped.value()) : mapped.error();
    if (mapped && is_raw_error(status)) unmap(mapped.value());
  }
  raw_syscall(SYS_close, descriptor);
  if (status < 0) {
    raw_syscall(SYS_unlinkat, AT_FDCWD, word(path.text), 0);
    return Result<Segment*>::failure(static_cast<int>(status));
  }
  return mapped;
}

// By an exchange that changes nothing: a shared page that is touched by a write first is mapped alone, else with up to fifteen
// others, which every process of a job would have to unmap again.
bool has_magic(Segment& segment) {
  std::uint64_t magic = kSegmentMagic;
  return segment.magic.compare_exchange_strong(magic, kSegmentMagic, std::memory_order_acquire);
}

int check(Segment& segment) {
  if (!has_magic(segment)) return -EPROTO;
  if (segment.version != kSegmentVersion || segment.size_bytes != sizeof(Segment)) return -EPROTO;
  // The names are read as texts: they must end within their fields.
  if (segment.job_name[kJobNameBytesMax - 1] != '\0' || segment.file_name[kJobNameBytesMax - 1] != '\0')
    return -EPROTO;
  return 0;
}

}  // namespace

bool is_segment_name(const char* text, std::size_t length) {
  const std::size_t prefix = sizeof kSegmentPrefix - 1;
  if (length <= prefix || length >= kSegmentNameBytesMax || std::memcmp(text, kSegmentPrefix, prefix) != 0)
    return false;
  for (std::size_t i = prefix; i < length; ++i) {
    if ((text[i] < '0' || text[i] > '9') && text[i] != '-') return false;
  }
  return true;
}

Result<Segment*> make(const char* job_name, const Grant& grant, const JobOptions& options,
                      SegmentName* name) {
  std::uint64_t salt = gray::base::monotonic_ns();
  long descriptor = -EEXIST;
  Path path{};
  for (int tries = 0; tries < kNameTriesMax && descriptor == -EEXIST; ++tries, ++salt) {
    *name = new_name(salt);
    path = path_of(name->text, std::strlen(name->text));
    descriptor = raw_syscall(SYS_openat, AT_FDCWD, word(path.text),
                             O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  }
  if (is_raw_error(descriptor)) return Result<Segment*>::failure(static_cast<int>(descriptor));
  Result<Segment*> segment = set_up(descriptor, path);
  if (segment) fill(*segment.value(), *name, job_name, grant, options);
  return segment;
}

Result<Segment*> make_private(const char* job_name, const Grant& grant, const JobOptions& options) {
  Result<Segment*> segment = map(-1, MAP_SHARED | MAP_ANONYMOUS);
  if (!segment) return segment;
  segment.value()->is_all_reserved = 1;  // no file system limits it
  fill(*segment.value(), SegmentName{}, job_name, grant, options);
  return segment;
}

Result<Segment*> join(const char* name, std::size_t length) {
  if (!is_segment_name(name, length)) return Result<Segment*>::failure(-EINVAL);
  const Path path = path_of(name, length);
  const long descriptor =
      raw_syscall(SYS_openat, AT_FDCWD, word(path.text), O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
  if (is_raw_error(descriptor)) return Result<Segment*>::failure(static_cast<int>(descriptor));
  int status = check_shared_file(descriptor, sizeof(Segment));
  Result<Segment*> segment = Result<Segment*>::failure(status);
  if (status == 0) segment = map(descriptor, MAP_SHARED);
  raw_syscall(SYS_close, descriptor);
  if (!segment) return segment;
  status = check(*segment.value());
  if (status == 0) return segment;
  unmap(segment.value());
  return Result<Segment*>::failure(status);
}

void unmap(Segment* segment) {
  raw_syscall(SYS_munmap, word(segment), sizeof(Segment));
}

SegmentName name_of(const Segment& segment) {
  SegmentName name;
  std::memcpy(name.text, segment.file_name, sizeof name.text - 1);
  return name;
}

bool is_cut_short(const Segment& segment) {
  const SegmentName name = name_of(segment);
  const std::size_t length = std::strlen(name.text);
  if (!is_segment_name(name.text, length)) return false;
  const Path path = path_of(name.text, length);
  struct stat status {};
  const long result =
      raw_syscall(SYS_newfstatat, AT_FDCWD, word(path.text), word(&status), AT_SYMLINK_NOFOLLOW);
  return !is_raw_error(result) && static_cast<std::uint64_t>(status.st_size) < sizeof(Segment);
}

void remove(const SegmentName& name) {
  if (!is_segment_name(name.text, std::strlen(name.text))) return;
  const Path path = path_of(name.text, std::strlen(name.text));
  raw_syscall(SYS_unlinkat, AT_FDCWD, word(path.text), 0);
  remove_ring(name);
}

Grant load_grant(const Segment& segment) {
  // A writer killed in the middle of a change leaves no grant that could be told: the job then runs free
  // until the next change, which is better than stopping it.
  CheckedGrant checked;
  const bool is_whole = segment.grant.load(checked) && checked.sum == sum_of(checked.grant);
  return is_whole && is_possible(checked.grant) ? checked.grant : kUnlimitedGrant;
}

void store_grant(Segment& segment, const Grant& grant) {
  segment.grant.store({grant, sum_of(grant)});
}

void change_grant(Segment& segment, const Grant& grant) {
  store_grant(segment, grant);
  restart_accounts(segment, gray::base::monotonic_ns());
}

void publish_probe_limit(Segment& segment, std::uint64_t hit_max_ns) {
  __atomic_store_n(&segment.options.probe_hit_max_ns, hit_max_ns, __ATOMIC_RELAXED);
}

std::uint64_t probe_limit_ns(const JobOptions& options) {
  return __atomic_load_n(&options.probe_hit_max_ns, __ATOMIC_RELAXED);
}

std::uint64_t lent_rate(const Segment& segment, std::uint64_t now_ns) {
  const Lent& lent = segment.lent;
  const std::uint64_t lent_at_ns = lent.lent_at_ns.load(std::memory_order_relaxed);
  if (lent_at_ns == 0 || lent_at_ns > now_ns || now_ns - lent_at_ns > kLentMaxNs) return 0;
  const std::uint64_t rate = lent.rate_bytes_per_s.load(std::memory_order_relaxed);
  const std::uint32_t sum = sum_of(rate, lent_at_ns, lent.is_daemon.load(std::memory_order_relaxed));
  return lent.sum.load(std::memory_order_relaxed) == sum ? rate : 0;
}

std::uint64_t at_other_rate(std::uint64_t paid_at_ns, std::uint64_t old_rate, std::uint64_t new_rate,
                            std::uint64_t now_ns) {
  if (paid_at_ns <= now_ns || old_rate == 0 || new_rate == 0) return paid_at_ns;
  __extension__ using Wide = unsigned __int128;
  const Wide left_ns = static_cast<Wide>(paid_at_ns - now_ns) * old_rate / new_rate;
  return now_ns + (left_ns < kAheadMaxNs ? static_cast<std::uint64_t>(left_ns) : kAheadMaxNs);
}

void lend(Segment& segment, std::uint64_t rate_bytes_per_s, bool is_daemon, std::uint64_t now_ns) {
  const std::uint64_t before = lent_rate(segment, now_ns);
  const std::uint64_t old_rate = before != 0 ? before : load_grant(segment).rate_bytes_per_s;
  if (old_rate != rate_bytes_per_s) {
    change_paid_ns(segment, 0, 0, old_rate, now_ns, [&](std::uint64_t paid_ns) {
      return at_other_rate(paid_ns, old_rate, rate_bytes_per_s, now_ns);
    });
  }
  segment.lent.rate_bytes_per_s.store(rate_bytes_per_s, std::memory_order_relaxed);
  segment.lent.is_daemon.store(is_daemon ? 1 : 0, std::memory_order_relaxed);
  segment.lent.sum.store(sum_of(rate_bytes_per_s, now_ns, is_daemon ? 1 : 0), std::memory_order_relaxed);
  segment.lent.lent_at_ns.store(now_ns, std::memory_order_relaxed);
}

}  // namespace discnice::protocol
