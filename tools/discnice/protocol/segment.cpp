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
#include "toolbox/base/shared_file.hpp"
#include "toolbox/base/short_text.hpp"
#include "tools/discnice/protocol/guarded_word.hpp"
#include "tools/discnice/protocol/lane_account.hpp"
#include "tools/discnice/protocol/pid_namespace.hpp"
#include "tools/discnice/protocol/record_format.hpp"
#include "tools/discnice/protocol/reserve.hpp"
#include "tools/discnice/protocol/ring.hpp"

namespace discnice::protocol {
namespace {

using gray::base::append_number;
using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::Result;
using gray::base::ScopedFd;
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
  out = append_number(out, find_pid_namespace());
  *out++ = '-';
  append_number(out, salt);
  return name;
}

// Takes the number at the beginning of `*text`. Returns false when there is none, or when append_number() would not write it that way.
bool take_number(const char** text, const char* end, std::uint64_t* number) {
  const char* start = *text;
  *number = 0;
  for (; *text != end && **text >= '0' && **text <= '9'; ++*text) {
    const auto digit = static_cast<std::uint64_t>(**text - '0');
    if (*number > (UINT64_MAX - digit) / 10) return false;
    *number = *number * 10 + digit;
  }
  return *text != start && (*start != '0' || *text == start + 1);
}

Result<Segment*> map(long descriptor, int flags) {
  const long address =
      raw_syscall(SYS_mmap, 0, sizeof(Segment), PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (is_raw_error(address)) return Result<Segment*>::failure(static_cast<int>(address));
  return reinterpret_cast<Segment*>(address);
}

// When a grant is wrong in any way, the program goes on without a limit.
constexpr Grant kUnlimitedGrant{};

// The factors are odd, so a change of one byte always changes the sum.
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

// The checksum detects damaged memory, and this function detects a faulty writer. The policy decides what a number means, and accepts any number.
bool is_possible(const Grant& grant) {
  return grant.smooth_writes <= SmoothWrites::off && grant.cache <= CacheUse::shared &&
         grant.window_ns <= kAheadMaxNs && grant.weight != 0 && grant.net_gives_way <= 1;
}

std::uint32_t sum_of(std::uint64_t lent_rate, std::uint64_t lent_at_ns, std::uint32_t is_daemon) {
  const std::uint64_t words[] = {kSegmentMagic, lent_rate, lent_at_ns, is_daemon};
  return checksum_of(words, sizeof words);
}

void restart_accounts(Segment& segment, std::uint64_t now_ns) {
  settle_lanes(segment, now_ns);
  store_instant(segment.last_go, now_ns);
}

void fill(Segment& segment, std::uint64_t created_ns, const char* job_name, const Grant& grant,
          const JobOptions& options) {
  segment.version = kSegmentVersion;
  segment.size_bytes = sizeof(Segment);
  segment.owner_uid = static_cast<std::uint32_t>(raw_syscall(SYS_geteuid));
  segment.creator_pid = static_cast<std::uint32_t>(raw_syscall(SYS_getpid));
  segment.pid_namespace = find_pid_namespace();
  const long session = raw_syscall(SYS_getsid, 0);
  segment.creator_session = is_raw_error(session) ? 0 : static_cast<std::uint32_t>(session);
  segment.created_ns = created_ns;
  std::strncpy(segment.job_name, job_name, kJobNameBytesMax - 1);
  segment.options = options;
  restart_accounts(segment, segment.created_ns);
  store_grant(segment, grant);
  segment.magic.store(kSegmentMagic, std::memory_order_release);  // pairs with the acquire in check()
}

// Leaves out the memory that is used later, if the kernel can reserve this memory later.
long reserve_first(long descriptor, Segment& segment) {
  segment.is_all_reserved = can_reserve_later(segment) ? 0 : 1;
  return segment.is_all_reserved == 0 ? 0 : raw_syscall(SYS_fallocate, descriptor, 0, 0, sizeof(Segment));
}

// Reserves and maps a file that was just made.
Result<Segment*> set_up(long descriptor) {
  long status = raw_syscall(SYS_ftruncate, descriptor, sizeof(Segment));
  if (!is_raw_error(status)) status = raw_syscall(SYS_fallocate, descriptor, 0, 0, kFirstBytes);
  Result<Segment*> mapped = Result<Segment*>::failure(-EIO);
  if (!is_raw_error(status)) {
    mapped = map(descriptor, MAP_SHARED);
    status = mapped ? reserve_first(descriptor, *mapped.value()) : mapped.error();
    if (mapped && is_raw_error(status)) unmap(mapped.value());
  }
  if (is_raw_error(status)) return Result<Segment*>::failure(static_cast<int>(status));
  return mapped;
}

// Makes a file under a name that no other file has.
ScopedFd make_file(SegmentName* name) {
  std::uint64_t salt = gray::base::monotonic_ns();
  ScopedFd file(-EEXIST);
  for (int tries = 0; tries < kNameTriesMax && file.error() == -EEXIST; ++tries, ++salt) {
    *name = new_name(salt);
    file = gray::base::make_shared_file(path_of(name->text, std::strlen(name->text)).text);
  }
  return file;
}

// Uses an exchange that changes nothing. A shared page whose first access is a write is mapped alone; after a read the kernel maps up to fifteen
// other pages with it, and every process of a job would have to unmap these pages again.
bool has_magic(Segment& segment) {
  std::uint64_t magic = kSegmentMagic;
  return segment.magic.compare_exchange_strong(magic, kSegmentMagic, std::memory_order_acquire);
}

int check(Segment& segment) {
  if (!has_magic(segment)) return -EPROTO;
  if (segment.version != kSegmentVersion || segment.size_bytes != sizeof(Segment)) return -EPROTO;
  // The name is read as a text, so it must end within its field.
  return segment.job_name[kJobNameBytesMax - 1] == '\0' ? 0 : -EPROTO;
}

}  // namespace

bool read_maker(const char* text, std::size_t length, Maker* maker) {
  const std::size_t prefix = sizeof kSegmentPrefix - 1;
  if (length <= prefix || length >= kSegmentNameBytesMax || std::memcmp(text, kSegmentPrefix, prefix) != 0)
    return false;
  const char* end = text + length;
  text += prefix;
  for (std::uint64_t* number : {&maker->user, &maker->pid, &maker->pid_namespace}) {
    if (!take_number(&text, end, number) || text == end || *text++ != '-') return false;
  }
  return take_number(&text, end, &maker->at_ns) && text == end;
}

bool read_maker(const SegmentName& name, Maker* maker) {
  return read_maker(name.text, std::strlen(name.text), maker);
}

SegmentName name_from(const char* text, std::size_t length) {
  SegmentName name;
  if (length < sizeof name.text) std::memcpy(name.text, text, length);
  return name;
}

Result<Segment*> make(const char* job_name, const Grant& grant, const JobOptions& options,
                      SegmentName* name) {
  const ScopedFd file = make_file(name);
  if (!file.is_open()) return Result<Segment*>::failure(file.error());
  const Result<Segment*> segment = set_up(file.get());
  if (segment) {
    Maker maker{};
    read_maker(*name, &maker);
    fill(*segment.value(), maker.at_ns, job_name, grant, options);
  } else {
    remove(*name);
  }
  return segment;
}

Result<Segment*> make_private(const char* job_name, const Grant& grant, const JobOptions& options) {
  Result<Segment*> segment = map(-1, MAP_SHARED | MAP_ANONYMOUS);
  if (!segment) return segment;
  segment.value()->is_all_reserved = 1;  // no file system limits it
  fill(*segment.value(), gray::base::monotonic_ns(), job_name, grant, options);
  return segment;
}

Result<Segment*> join(const char* name, std::size_t length) {
  Maker maker{};
  if (!read_maker(name, length, &maker)) return Result<Segment*>::failure(-EINVAL);
  std::uint64_t size_bytes = 0;
  const ScopedFd file =
      gray::base::open_shared_file(path_of(name, length).text, &size_bytes, gray::base::Names::any);
  if (!file.is_open()) return Result<Segment*>::failure(file.error());
  if (size_bytes != sizeof(Segment) && size_bytes != kRecordedBytes)
    return Result<Segment*>::failure(-EPROTO);
  const Result<Segment*> segment = map(file.get(), MAP_SHARED);
  if (!segment) return segment;
  const int status = check(*segment.value());
  if (status == 0) return segment;
  unmap(segment.value());
  return Result<Segment*>::failure(status);
}

void unmap(Segment* segment) {
  raw_syscall(SYS_munmap, word(segment), sizeof(Segment));
}

bool is_cut_short(const SegmentName& name) {
  Maker maker{};
  if (!read_maker(name, &maker)) return false;
  const Path path = path_of(name.text, std::strlen(name.text));
  struct stat status {};
  const long result =
      raw_syscall(SYS_newfstatat, AT_FDCWD, word(path.text), word(&status), AT_SYMLINK_NOFOLLOW);
  return !is_raw_error(result) && static_cast<std::uint64_t>(status.st_size) < sizeof(Segment);
}

void remove(const SegmentName& name) {
  Maker maker{};
  if (!read_maker(name, &maker)) return;
  const Path path = path_of(name.text, std::strlen(name.text));
  raw_syscall(SYS_unlinkat, AT_FDCWD, word(path.text), 0);
}

Grant load_grant(const Segment& segment) {
  // When a writer was killed in the middle of a change, the grant is unknown. The job then runs without a limit until the next change. This is better than to
  // stop the job.
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

void publish_readahead_rules(Segment& segment, std::uint16_t rules) {
  __atomic_store_n(&segment.options.readahead_rules, rules, __ATOMIC_RELAXED);
}

std::uint16_t readahead_rules(const JobOptions& options) {
  return __atomic_load_n(&options.readahead_rules, __ATOMIC_RELAXED);
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

// No member lends, so this code lies apart from the code that runs when a program starts (preload/process/start_order.ld).
__attribute__((cold)) void lend(Segment& segment, std::uint64_t rate_bytes_per_s, bool is_daemon,
                                std::uint64_t now_ns) {
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
