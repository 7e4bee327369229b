// SPDX-License-Identifier: MIT
// segment: makes, joins and leaves the shared-memory segment of a job.
//
// Host-safe: raw system calls, no heap, no descriptor kept. A segment lives as a file of mode 0600 in
// /dev/shm, made exclusively; its owner, mode, size, magic and version are checked before a byte of it is
// believed. A process knows a segment by the name under which it was opened. Nothing in the segment says which file it is, who made it, or whether any member is left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "toolbox/base/result.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

inline constexpr char kSegmentFolder[] = "/dev/shm/";
inline constexpr char kSegmentPrefix[] = "discnice-";
/// The environment variable that names the segment that a program must join.
inline constexpr char kSegmentVariable[] = "DISCNICE_SEGMENT";
inline constexpr std::size_t kSegmentNameBytesMax = kJobNameBytesMax;

/// The name of a segment in the folder: "discnice-UID-PID-PIDNAMESPACE-NANOSECONDS".
struct SegmentName {
  char text[kSegmentNameBytesMax] = {};
};

/// What a name says about the maker of the segment. It is not believed before the kernel was asked who owns the file and which process has that pid.
struct Maker {
  std::uint64_t user;
  std::uint64_t pid;
  std::uint64_t pid_namespace;  // in which `pid` counts; 0: could not be told
  std::uint64_t at_ns;          // CLOCK_MONOTONIC
};

/// Reads a name that make() could have given: the prefix, then the four numbers. False for any other name.
bool read_maker(const char* text, std::size_t length, Maker* maker);
bool read_maker(const SegmentName& name, Maker* maker);

/// Makes a new segment for the calling user and maps it. Errors: -ENOENT (no /dev/shm), -ENOSPC (it is full),
/// -EACCES, ... The first page's memory is reserved here, so a full /dev/shm is an error, and all other's before it
/// is touched (reserve.hpp), so it is no SIGBUS later.
gray::base::Result<Segment*> make(const char* job_name, const Grant& grant, const JobOptions& options,
                                  SegmentName* name);

/// Makes a segment that only this process and its forked children share. It is used if there is no /dev/shm.
gray::base::Result<Segment*> make_private(const char* job_name, const Grant& grant,
                                          const JobOptions& options);

/// Maps the segment of that name. Errors: -EINVAL (no such name can be), -EPERM (somebody else's, or open to others; uid 0 has no more rights
/// here than anybody), -EPROTO (not a segment, or another version), else as open(2). Never waits.
gray::base::Result<Segment*> join(const char* name, std::size_t length);

/// Unmaps the segment, which stays.
void unmap(Segment* segment);

/// Makes a name from the text. It is empty if the text is too long for any name.
SegmentName name_from(const char* text, std::size_t length);

/// Whether somebody has truncated the file of that name: members that touched the lost part run on without a limit (segment_guard.hpp). False if there is no such file.
bool is_cut_short(const SegmentName& name);

/// Removes the name. Members that have the file mapped go on sharing it.
void remove(const SegmentName& name);

/// Reads the grant as one consistent value. It is `unlimited` if a writer died while changing it, or if a byte of it is wrong.
Grant load_grant(const Segment& segment);

/// Publishes a grant. One writer at a time.
void store_grant(Segment& segment, const Grant& grant);

/// Publishes a grant for a running job. Debts under the old grant are forgotten, so that the new one has effect at once.
void change_grant(Segment& segment, const Grant& grant);

/// JobOptions::probe_hit_max_ns. The launcher finds it out while the program starts. So it is published late, and read as one value.
void publish_probe_limit(Segment& segment, std::uint64_t hit_max_ns);

/// JobOptions::readahead_rules, published as late. For a device that was met before, the rules of the kernel's release are used.
void publish_readahead_rules(Segment& segment, std::uint16_t rules);
std::uint16_t readahead_rules(const JobOptions& options);
std::uint64_t probe_limit_ns(const JobOptions& options);

/// The part of a shared rate that the job was lent; 0 if nobody lends, or if the last loan is too old.
std::uint64_t lent_rate(const Segment& segment, std::uint64_t now_ns);

/// Converts an instant: the debt would be paid at `paid_at_ns` at `old_rate`, and its rest is paid at `new_rate` from now on. Pure.
std::uint64_t at_other_rate(std::uint64_t paid_at_ns, std::uint64_t old_rate, std::uint64_t new_rate,
                            std::uint64_t now_ns);

/// Lends the job a rate for kLentMaxNs from now. The job still owes the same bytes, so they are paid earlier or later.
void lend(Segment& segment, std::uint64_t rate_bytes_per_s, bool is_daemon, std::uint64_t now_ns);

}  // namespace discnice::protocol
