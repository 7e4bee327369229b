// SPDX-License-Identifier: MIT
#include "libgray/src/filecache/probes.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>

#include "libgray/src/core/hit_classifier.hpp"
#include "libgray/src/os/os.hpp"

namespace gray::filecache {
namespace {

enum class Verdict { hit, miss, doubtful, nothing };

// A read that waits for a device sleeps. A read that was slow without sleeping lost its processor to another thread or to the host of a virtual machine, and is
// no information about the page.
Verdict time_once(int fd, std::uint64_t offset_bytes, std::uint64_t hit_time_max_ns, Answer& answer) {
  const base::Result<os::TimedRead> probe = os::time_one_byte(fd, offset_bytes);
  const base::Result<os::TimedRead> again = os::time_one_byte(fd, offset_bytes);
  const base::Result<os::TimedRead> once_more = os::time_one_byte(fd, offset_bytes);
  if (!probe || !again || !once_more) return Verdict::nothing;
  // The faster of two certain hits is taken: a certain hit that lost its processor would make a miss look like a hit.
  const std::uint64_t certain_hit_ns = std::min(again.value().time_ns, once_more.value().time_ns);
  const bool has_slept_each_time = again.value().has_slept && once_more.value().has_slept;
  if (!core::is_hit_credible(certain_hit_ns, has_slept_each_time)) return Verdict::nothing;
  const std::uint64_t time_ns = probe.value().time_ns;
  ++answer.probes;
  answer.time_ns += time_ns;
  answer.access_ns = time_ns;
  answer.certain_hit_ns = certain_hit_ns;
  const bool is_miss = hit_time_max_ns != 0 ? core::is_miss_by_threshold(time_ns, hit_time_max_ns)
                                            : core::is_miss(time_ns, certain_hit_ns);
  if (!is_miss) return Verdict::hit;
  return probe.value().has_slept ? Verdict::miss : Verdict::doubtful;
}

// When a probe fails because the file shrank, the backend may still work.
Answer invalid(int error) {
  Answer answer;
  answer.is_unsupported = error != -ENODATA && error != -EFAULT;
  return answer;
}

// A byte of the next page. At the end of the file it is a byte of the page before. If the only other page is page 0, the answer is the same byte. That page was
// fetched and cannot be probed again.
std::uint64_t neighbour_of(std::uint64_t offset_bytes, std::uint64_t file_bytes) {
  if (file_bytes - offset_bytes > os::kPageBytes) return offset_bytes + os::kPageBytes;
  return offset_bytes >= 2 * os::kPageBytes ? offset_bytes - os::kPageBytes : offset_bytes;
}

}  // namespace

Answer probe_by_nowait(int fd, std::uint64_t offset_bytes) {
  const base::Result<bool> is_cached = os::read_without_waiting(fd, offset_bytes);
  if (!is_cached) return invalid(is_cached.error());
  Answer answer;
  answer.is_valid = true;
  answer.has_fetched = !is_cached.value();
  answer.resident_share = is_cached.value() ? 1 : 0;
  return answer;
}

Answer judge_window(const os::MappedWindow& window, std::uint64_t first_page, const os::FileFacts& facts,
                    const ProbeMemory& memory) {
  Answer answer;
  answer.has_fetched = window.has_fetched;
  answer.pages = 0;
  double resident = 0;
  for (std::uint32_t i = 0; i < window.pages; ++i) {
    const std::uint64_t page = window.first_page + i;
    if (page < first_page || memory.is_own(facts.device, facts.inode, page)) continue;
    ++answer.pages;
    resident += static_cast<double>(window.resident >> i & 1U);
  }
  answer.is_valid = answer.pages > 0;
  answer.resident_share = answer.is_valid ? resident / answer.pages : 0;
  return answer;
}

Answer probe_by_fault(int fd, std::uint64_t offset_bytes, const os::FileFacts& facts,
                      const ProbeMemory& memory) {
  const base::Result<os::MappedWindow> mapped = os::map_around(fd, offset_bytes, facts.size_bytes);
  if (!mapped) return invalid(mapped.error());
  return judge_window(mapped.value(), 0, facts, memory);
}

std::uint32_t count_mapped(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes) {
  const base::Result<os::MappedWindow> window = os::map_around(fd, offset_bytes, file_bytes);
  if (!window || window.value().has_fetched) return 0;
  return static_cast<std::uint32_t>(std::popcount(window.value().resident));
}

Answer probe_by_time(int fd, std::uint64_t offset_bytes, std::uint64_t file_bytes,
                     std::uint64_t hit_time_max_ns) {
  Answer answer;
  answer.probes = 0;
  Verdict verdict = time_once(fd, offset_bytes, hit_time_max_ns, answer);
  const std::uint64_t neighbour = neighbour_of(offset_bytes, file_bytes);
  if (verdict == Verdict::doubtful && neighbour != offset_bytes) {
    verdict = time_once(fd, neighbour, hit_time_max_ns, answer);
    answer.has_fetched_beside = verdict == Verdict::miss || verdict == Verdict::doubtful;
    answer.beside_bytes = neighbour;
  }
  if (verdict == Verdict::nothing) return {};  // the file shrank, or its reads bypass the page cache
  answer.is_valid = true;
  answer.has_fetched = verdict != Verdict::hit;
  // A probe is doubtful if it took as long as a miss, but the thread was not seen to sleep. If both probes are doubtful, this host does not show sleeps. Then the times alone
  // decide.
  answer.resident_share = verdict == Verdict::hit ? 1 : 0;
  return answer;
}

double confidence_of(double share, std::uint32_t probes) {
  const double count = probes;
  const double mean = (share * count + 1) / (count + 2);
  return 1 - 2 * std::sqrt(mean * (1 - mean) / (count + 3));
}

}  // namespace gray::filecache
