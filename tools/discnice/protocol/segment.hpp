// SPDX-License-Identifier: MIT
// segment: makes, joins and leaves the shared-memory segment of a job.
//
// Safe inside the program that loads the library: the code makes raw system calls, uses no heap, and leaves no descriptor open.
//
// A segment is a file of mode 0600 in /dev/shm, made exclusively. Its owner, mode, size,
// magic and version are checked before any of its bytes is used. A program that acts on a segment identifies it by the name under which it was
// opened. The content of the segment never decides which file it is, who made it, or whether any process is left.
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

/// The facts about the segment's maker in a name. They are only a claim until the kernel was asked who owns the file and which process has
/// this pid.
struct Maker {
  std::uint64_t user;
  std::uint64_t pid;
  std::uint64_t pid_namespace;  // the namespace in which `pid` counts; 0: not known
  std::uint64_t at_ns;          // CLOCK_MONOTONIC
};

/// Reads a name that make() could have given out: the prefix, then the four numbers. Returns false for any other name.
bool read_maker(const char* text, std::size_t length, Maker* maker);
bool read_maker(const SegmentName& name, Maker* maker);

/// Makes a new segment for the calling user and maps it. Errors: -ENOENT (no /dev/shm), -ENOSPC (/dev/shm is full), -EACCES, ... The memory of the
/// first page is reserved here, so a full /dev/shm is an error. All other memory is reserved before it is touched (reserve.hpp), so it causes no
/// SIGBUS later.
gray::base::Result<Segment*> make(const char* job_name, const Grant& grant, const JobOptions& options,
                                  SegmentName* name);

/// Makes a segment that only this process and its forked children share, for hosts without /dev/shm.
gray::base::Result<Segment*> make_private(const char* job_name, const Grant& grant,
                                          const JobOptions& options);

/// Maps the segment of that name. Errors: -EINVAL (not a possible name), -EPERM (the file belongs to another user, or is open to others; uid 0 has no
/// more rights here than any user), -EPROTO (not a segment, or another version), else as open(2). Never waits.
gray::base::Result<Segment*> join(const char* name, std::size_t length);

/// Unmaps the segment. Its file stays.
void unmap(Segment* segment);

/// The text as a name. Empty when the text is too long for a name.
SegmentName name_from(const char* text, std::size_t length);

/// Whether the file of that name was truncated. Members that touched the missing memory run on without a limit (segment_guard.hpp). False when there is no such file.
bool is_cut_short(const SegmentName& name);

/// Removes the name. Members that have the file mapped continue to share it.
void remove(const SegmentName& name);

/// Reads the grant as one consistent value. Returns `unlimited` when a writer died in the middle of a change, or when the grant is damaged.
Grant load_grant(const Segment& segment);

/// Publishes a grant. One writer at a time.
void store_grant(Segment& segment, const Grant& grant);

/// Publishes a grant for a running job. The debt under the old grant is forgotten, so that the new grant has an effect at once.
void change_grant(Segment& segment, const Grant& grant);

/// Publishes JobOptions::probe_hit_max_ns, which the launcher finds out while the program already starts. It is read as one value.
void publish_probe_limit(Segment& segment, std::uint64_t hit_max_ns);

/// Publishes JobOptions::readahead_rules in the same way. A device that was used earlier keeps the rules of the kernel's release.
void publish_readahead_rules(Segment& segment, std::uint16_t rules);
std::uint16_t readahead_rules(const JobOptions& options);
std::uint64_t probe_limit_ns(const JobOptions& options);

/// The part of a shared rate that the job was lent; 0 when no process lends, or when the last lending is too old.
std::uint64_t lent_rate(const Segment& segment, std::uint64_t now_ns);

/// A debt would be paid at `paid_at_ns` with the rate `old_rate`. Returns the instant at which it is paid when its rest is paid at
/// `new_rate`. Pure.
std::uint64_t at_other_rate(std::uint64_t paid_at_ns, std::uint64_t old_rate, std::uint64_t new_rate,
                            std::uint64_t now_ns);

/// Lends the job a rate until kLentMaxNs from now. The job still owes the same bytes, so they are paid earlier or later.
void lend(Segment& segment, std::uint64_t rate_bytes_per_s, bool is_daemon, std::uint64_t now_ns);

}  // namespace discnice::protocol
