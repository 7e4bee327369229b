// SPDX-License-Identifier: MIT
// segment: making, joining and leaving the shared-memory segment of a job.
//
// Host-safe: raw system calls, no heap, no descriptor kept. A segment lives as a file of mode 0600 in
// /dev/shm, made exclusively; its owner, mode, size, magic and version are checked before a byte of it is
// believed. Who acts on a segment knows it by the name it was opened under; nothing in the segment says which file it is, who made it
// or whether anybody is left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "toolbox/base/result.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

inline constexpr char kSegmentFolder[] = "/dev/shm/";
inline constexpr char kSegmentPrefix[] = "discnice-";
/// The environment variable that tells a program which segment to join.
inline constexpr char kSegmentVariable[] = "DISCNICE_SEGMENT";
inline constexpr std::size_t kSegmentNameBytesMax = kJobNameBytesMax;

/// A segment's name within the folder: "discnice-UID-PID-PIDNAMESPACE-NANOSECONDS".
struct SegmentName {
  char text[kSegmentNameBytesMax] = {};
};

/// What a name says of the segment's maker. It is a claim like any other until the kernel has been asked: who owns the file, who has that pid.
struct Maker {
  std::uint64_t user;
  std::uint64_t pid;
  std::uint64_t pid_namespace;  // in which `pid` counts; 0: could not be told
  std::uint64_t at_ns;          // CLOCK_MONOTONIC
};

/// Reads a name that make() could have given out: the prefix, then the four numbers. False for any other.
bool read_maker(const char* text, std::size_t length, Maker* maker);
bool read_maker(const SegmentName& name, Maker* maker);

/// Makes a new segment for the calling user and maps it. Errors: -ENOENT (no /dev/shm), -ENOSPC (it is full),
/// -EACCES, ... The first page's memory is reserved here, so a full /dev/shm is an error, and all other's before it
/// is touched (reserve.hpp), so it is no SIGBUS later.
gray::base::Result<Segment*> make(const char* job_name, const Grant& grant, const JobOptions& options,
                                  SegmentName* name);

/// A segment that only this process and its forked children share, when there is no /dev/shm to put one in.
gray::base::Result<Segment*> make_private(const char* job_name, const Grant& grant,
                                          const JobOptions& options);

/// Maps the segment of that name. Errors: -EINVAL (no such name can be), -EPERM (somebody else's, or open to others; uid 0 has no more rights
/// here than anybody), -EPROTO (not a segment, or another version), else as open(2). Never waits.
gray::base::Result<Segment*> join(const char* name, std::size_t length);

/// Unmaps; the segment stays.
void unmap(Segment* segment);

/// The text as a name; an empty one when it is too long for any.
SegmentName name_from(const char* text, std::size_t length);

/// Whether somebody has truncated the file of that name: members that touched what is gone run on without a limit (segment_guard.hpp). False
/// where there is none.
bool is_cut_short(const SegmentName& name);

/// Removes the name; members that have the file mapped go on sharing it.
void remove(const SegmentName& name);

/// Reads the grant as one consistent value; `unlimited` when a writer died in the middle of changing it, or when a byte of it
/// is wrong.
Grant load_grant(const Segment& segment);

/// Publishes a grant. One writer at a time.
void store_grant(Segment& segment, const Grant& grant);

/// Publishes a grant for a job that runs: what was owed under the old one is forgotten, so that the new one is felt at once.
void change_grant(Segment& segment, const Grant& grant);

/// JobOptions::probe_hit_max_ns, which the launcher finds out while the program begins: published late, and read as one value.
void publish_probe_limit(Segment& segment, std::uint64_t hit_max_ns);

/// JobOptions::readahead_rules, published as late; a device that was met before goes by the kernel's release.
void publish_readahead_rules(Segment& segment, std::uint16_t rules);
std::uint16_t readahead_rules(const JobOptions& options);
std::uint64_t probe_limit_ns(const JobOptions& options);

/// What the job was lent of a shared rate; 0 when nobody lends, or has not for too long.
std::uint64_t lent_rate(const Segment& segment, std::uint64_t now_ns);

/// When something is paid that at `old_rate` would be at `paid_at_ns`, if the rest is paid at `new_rate`. Pure.
std::uint64_t at_other_rate(std::uint64_t paid_at_ns, std::uint64_t old_rate, std::uint64_t new_rate,
                            std::uint64_t now_ns);

/// Lends the job a rate until kLentMaxNs from now; what the job owes is the same bytes still, so it is paid earlier or later.
void lend(Segment& segment, std::uint64_t rate_bytes_per_s, bool is_daemon, std::uint64_t now_ns);

}  // namespace discnice::protocol
