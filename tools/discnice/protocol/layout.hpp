// SPDX-License-Identifier: MIT
// layout: the shared-memory segment through which the preload library, the command and the daemon exchange data.
//
// This is an ABI between releases. Rules: Widths are fixed. Fields are only appended. Every field names its writer. kSegmentVersion goes up whenever
// the meaning or place of an existing field changes, and a reader refuses any other version than its own. Members may die at any instruction, so
// nothing here is a lock. Counters are changed by single atomic additions. The budget is one word that is changed by compare-and-swap. The grant is
// published under a sequence number. Only the table of dirty data is held while it is changed. Its holder stores an instant, which grows stale. The
// table contains hints only.
//
// Any program that has mapped the segment can write anything into it, also by mistake. So each value is read once, checked for being possible and
// then used (toolbox/base/read_once.hpp). These files check the values: lane_account.hpp and guarded_word.hpp check the instants of accounts,
// segment.cpp the grant, the lent rate and the names, members.cpp the slots and the numbers of processes, device_facts.cpp the devices,
// disk_words.hpp and measured_reads.hpp the disks, and progress_words.hpp the progress. The launcher's left_writes_sender checks the requests to the
// launcher. The predictor's update_regions, resting_files and inode_blocks check the table of dirty data. The preload library's account and transfers
// check the debts of a member.
//
// Invariant over a job: bytes charged - bytes refunded = the bytes for which Segment::lane_states[0] was moved ahead in time, less the bytes in
// Segment::lane_credits[0].
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "toolbox/base/seqlock.hpp"
#include "tools/discnice/contract/disk_activity.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/job_progress.hpp"

namespace discnice::protocol {

inline constexpr std::uint64_t kSegmentMagic =
    UINT64_C(0x6563696e63736964);  // "discnice" on a little-endian machine
inline constexpr std::uint32_t kSegmentVersion = 21;

/// How many processes of one job can be distinguished at once. In a job with more, the other processes still share the budget, and are counted together in the first slot.
inline constexpr std::uint32_t kMembersInFront =
    2;  // on the first page of the segment, with the job's accounts
inline constexpr std::uint32_t kMembersAtOnce = 16;  // on each further page
inline constexpr std::uint32_t kMemberMax = kMembersInFront + 63 * kMembersAtOnce;
/// The first page, which every job has. The other pages get their memory at their first use (reserve.hpp).
inline constexpr std::size_t kFrontBytes = 4096;
inline constexpr std::size_t kJobNameBytesMax = 64;

/// The counters of a member about itself. Only append values: the order is the layout.
enum class Counter : std::uint8_t {
  file_read_bytes,        // bytes that read calls returned from charged files
  file_write_bytes,       // bytes that write calls took for charged files
  predicted_read_bytes,   // disk bytes that these reads cause, by the model
  predicted_write_bytes,  // disk bytes that these writes cause, by the model, less refunds
  settled_read_bytes,     // disk bytes read by the kernel's account, when this member last read it
  settled_write_bytes,    // the same for writes
  slept_ns,               // time spent waiting for the policy
  waits,                  // how often the member waited for the policy
  calls,                  // hooked calls on charged files
  charged_calls,          // the hooked calls that had a predicted cost
  interrupted_waits,      // waits that a signal cut short; the rest is still owed
  fallbacks,              // calls passed through because the library's own state did not allow more
  probe_bytes,            // the most disk bytes that the library's probes of the cache may have caused
  images,                 // program images (exec) that the member has run
  corrected_read_bytes,   // what settling added to the predictions; sums may be below zero (two's complement)
  corrected_write_bytes,  // the same for writes
};
inline constexpr std::uint32_t kCounterCount = 16;

struct Counters {
  // Writer: the member; relaxed, because the sums are independent.
  std::atomic<std::uint64_t> value[kCounterCount];
};

/// One process of the job. 256 bytes, so that two members never write to the same cache line.
struct alignas(256) Member {
  // 0: the slot is free. Writer: the process that claims or releases the slot.
  std::atomic<std::uint32_t> pid;
  std::atomic<std::uint32_t> grace_calls;  // calls that need not wait after a signal; writer: the member
  Counters counters;
  // The member's account with the kernel, and its debts. Writer: the member's threads.
  std::atomic<std::uint64_t> pending_read_bytes;   // predicted since the last settlement
  std::atomic<std::uint64_t> pending_write_bytes;  // the same for writes
  // The end of a wait that was put off: the next call pays it first.
  std::atomic<std::uint64_t> owed_until_ns;
  std::atomic<std::uint64_t> settled_at_ns;  // when the member last read the kernel's account
  // Until this instant no further signal ends a wait. By this instant the postponed waits have been made up for.
  std::atomic<std::uint64_t> yielded_until_ns;
  std::atomic<std::uint64_t> grace_until_ns;  // until then small calls need not wait after a signal
  std::atomic<std::uint64_t>
      reserved_bytes;  // charged for operations that still wait; given back when the member dies
  std::atomic<std::uint64_t> awaiting_calls;     // calls under way that need a disk, of all threads
  std::atomic<std::uint64_t> awaiting_since_ns;  // when the first of these calls began
  std::atomic<std::uint32_t>
      pid_namespace;  // The namespace in which `pid` counts (pid_namespace.hpp). Writer: the writer of `pid`.
};
static_assert(sizeof(Member) == 256);

/// The classes that `discnice verify` distinguishes. Only append values.
enum class CallClass : std::uint8_t { read, write, copy, remove, create };
inline constexpr std::uint32_t kCallClassCount = 5;

/// The sums of all calls of one class, of all members together. They are kept only while verifying. The kernel's part is the number of bytes that
/// the kernel counted for these calls themselves.
struct ClassTotals {
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> bytes;
  std::atomic<std::uint64_t> predicted_read_bytes;
  std::atomic<std::uint64_t> predicted_write_bytes;  // of removals: the bytes that they saved
  std::atomic<std::uint64_t> kernel_read_bytes;
  std::atomic<std::uint64_t> kernel_write_bytes;
};

/// A grant with a checksum, so that damage is noticed; see load_grant().
struct CheckedGrant {
  Grant grant;
  std::uint64_t sum;
};

/// How many disks a job's policy can watch at once. Files on other disks are not held back because of other users.
inline constexpr std::uint32_t kDisksMax = 8;
inline constexpr std::uint32_t kActivityWords = sizeof(DiskActivity) / sizeof(std::uint64_t);
static_assert(sizeof(DiskActivity) % sizeof(std::uint64_t) == 0);

/// One disk that the job uses: the bytes that the members moved there, and the facts about its other users.
struct alignas(32) Disk {
  // The device number plus one. The number is the number of the disk whose counters show the traffic (outputs/disk_counters.hpp), or else the number of the
  // file system. Writer: the member that claims the entry first.
  std::atomic<std::uint64_t> number;
  std::atomic<std::uint64_t> own_read_bytes;     // writer: every member, by addition
  std::atomic<std::uint64_t> own_written_bytes;  // the same
  std::atomic<std::uint64_t> sampled_at_ns;  // writer: the member that takes the sample, by compare-and-swap
  std::atomic<std::uint64_t>
      activity[kActivityWords];          // A DiskActivity. Writer: the member that took the last sample.
  std::atomic<SeenBy> seen_by;           // how the disk's other users are seen; writer: the member that looks
  std::atomic<std::uint64_t> own_syncs;  // writer: every member, by addition
  // The speed that a member found when it wrote in steps; 0: not found yet. Writer: that member.
  std::atomic<std::uint64_t> write_bytes_per_s;
};

/// The number of disks for which a job can get the measured time of a random read (measured_reads.hpp).
inline constexpr std::uint32_t kMeasuredReadsMax = 4;
inline constexpr std::uint32_t kProgressWords = sizeof(JobProgress) / sizeof(std::uint64_t);
static_assert(sizeof(JobProgress) % sizeof(std::uint64_t) == 0);

/// The sums over the calls of one kind, as in CallSums. Writer: every member, by addition. The member that ends the interval takes the sums out.
struct OpenCallSums {
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> kib;
  std::atomic<std::uint64_t> us;
  std::atomic<std::uint64_t> kib_squares;
  std::atomic<std::uint64_t> kib_us;
};

/// The job's progress on the disk that has the same place in the table of disks (progress_words.hpp).
struct Progress {
  OpenCallSums calls[kCallKinds];  // of the interval that has not ended
  // The instant at which the last interval ended. Writer: the member that ends an interval, by compare-and-swap.
  std::atomic<std::uint64_t> ended_at_ns;
  // A JobProgress. Writer: the member that ended the last interval.
  std::atomic<std::uint64_t> words[kProgressWords];
};

/// The number of devices for which the processes of a job can share facts. Each process learns about further devices itself.
inline constexpr std::uint32_t kKnownDevicesMax = 8;

/// The facts that a member has learned about a device (device_facts.hpp).
struct KnownDevice {
  std::atomic<std::uint64_t> number;  // the device number plus one; writer: the member that claims it first
  // The limits of the device's read-ahead: lengths in pages, and the order of its folios.
  std::atomic<std::uint64_t> limits;
  std::atomic<std::uint64_t> disk;  // the disk whose counters count the device; 0: not known
  // 0: not learned yet. Writer of the last three fields: the member that has learned them.
  std::atomic<std::uint64_t> learned_at_ns;
};

/// The rate that a divider (the launcher of a sharing job, or the daemon) lends the job. It is stale after kLentMaxNs: then the job uses its own grant.
struct Lent {
  std::atomic<std::uint64_t> rate_bytes_per_s;
  std::atomic<std::uint64_t> lent_at_ns;
  // The checksum of the other fields, by which damage is noticed; see lent_rate().
  std::atomic<std::uint32_t> sum;
  std::atomic<std::uint32_t> is_daemon;
};
inline constexpr std::uint64_t kLentMaxNs = 1'000'000'000;

/// Names of programs of a job that are not held.
inline constexpr std::uint32_t kExcludedMax = 8;
inline constexpr std::uint32_t kExcludedBytesMax = 32;

/// Bits of JobOptions::disabled_models.
inline constexpr std::uint32_t kWithoutCache = 1;      // every page counts as absent
inline constexpr std::uint32_t kWithoutReadahead = 2;  // a miss brings in only the requested pages
inline constexpr std::uint32_t kWithoutWrites = 4;     // every write reaches the disk, also a repeated write

/// Bits of JobOptions::recorded.
inline constexpr std::uint32_t kRecordOperations =
    1;  // each file operation as the models saw it, and its outcome
inline constexpr std::uint32_t kRecordStacks = 2;  // the call stacks of operations that cost disk bytes

/// The value of JobOptions::readahead_rules when microbench has not measured the rules.
inline constexpr std::uint16_t kRulesNotMeasured = UINT16_MAX;

/// The options with which the job was started. They are written once, before the magic number. Only probe_hit_max_ns and readahead_rules are written later.
struct JobOptions {
  std::uint32_t is_ledger_on;  // settle predictions by the kernel's account
  // The way in which the predictor finds cached pages, as a number. 0 means that a self-test chooses the way.
  std::uint32_t cache_backend;
  // A timed probe up to this time is a hit; 0: each probe is compared with a second probe. Writer: the launcher, while the program begins (segment.hpp).
  std::uint64_t probe_hit_max_ns;
  std::uint32_t is_verifying = 0;     // predict every call, and keep the totals of each class
  std::uint32_t disabled_models = 0;  // see kWithoutCache and the values below it
  std::uint32_t recorded = 0;         // the records of the job's ring: kRecordOperations, kRecordStacks
  std::uint16_t is_adopted = 0;       // the processes ran before the job, and go on when the job's maker ends
  std::uint16_t readahead_rules =
      kRulesNotMeasured;  // readahead_rules.hpp of toolbox/base; written like probe_hit_max_ns
  char excluded[kExcludedMax][kExcludedBytesMax] = {};  // programs left alone; an empty name ends the list
};

/// The traffic of the job's TCP connections to other hosts. The limits are in the grant. Writer: the launcher, if it was asked to hold the network.
/// These numbers are only shown to people. No decision depends on them.
struct Net {
  std::atomic<std::uint32_t> is_held;     // 1: the launcher watches the connections and follows the grant
  std::atomic<std::uint32_t> was_held;    // 1: the launcher watches them, or has watched them
  std::atomic<std::uint64_t> sent_bytes;  // bytes that arrived
  std::atomic<std::uint64_t> received_bytes;
  std::atomic<std::uint64_t> connections;        // all that were ever seen
  std::atomic<std::uint64_t> udp_sockets;        // all that were ever seen; they are not held
  std::atomic<std::uint64_t> mptcp_connections;  // all that were ever seen; multipath TCP is not held
  std::atomic<std::uint64_t> refused_processes;  // processes whose connections cannot be reached
};

/// The number of lanes (policy/lanes.hpp).
inline constexpr std::uint32_t kLaneStates = 4;

/// Room for the table of dirty data. The predictor defines the layout of the table (dirty_data.hpp). Zero bytes are an empty table. The second part
/// of the table is used when more files are dirty than the first part can hold.
inline constexpr std::size_t kDirtyTableBytes = 65536 + 274432;

/// The number of places for marks of files whose pages were dropped (let_go_files.hpp).
inline constexpr std::uint32_t kLetGoFiles = 65536;

struct Segment {
  std::atomic<std::uint64_t> magic;  // writer: the creator, as its last step (release); readers acquire
  std::uint32_t version;
  std::uint32_t size_bytes;
  std::uint32_t owner_uid;
  std::uint32_t creator_pid;
  std::uint64_t created_ns;  // CLOCK_MONOTONIC, as in the name of the segment, if it has a name
  char job_name[kJobNameBytesMax];
  Net net;
  JobOptions options;

  alignas(
      64) gray::base::Seqlock<CheckedGrant> grant;  // writer: the launcher or `discnice set`, one at a time

  // Instants in the form of guarded_word.hpp, checked by lane_account.hpp. Writer: every member, by compare-and-swap.
  alignas(64) std::atomic<std::uint64_t> lane_states[kLaneStates];  // by policy::Lane
  // The instant at which the last operation began that the policy could have held back for the disk's other users.
  std::atomic<std::uint64_t> last_go;
  Lent lent;

  // Units that an operation waited for and did not move. Operations use these units before they use the rate. Writer: every member, by
  // compare-and-swap.
  alignas(64) std::atomic<std::uint64_t> lane_credits[kLaneStates];
  // All units for which lane_states were moved ahead. Writer: every member, by addition.
  std::atomic<std::uint64_t> lane_charged[kLaneStates];

  alignas(64) std::atomic<std::uint32_t> member_epoch;  // how many process images have joined
  // Members that joined, less those that left; a killed member counts until its slot is freed.
  std::atomic<std::uint32_t> members_live;
  std::atomic<std::uint32_t> members_total;  // all processes that joined
  // The largest distance of any member's slot from its home place.
  std::atomic<std::uint32_t> farthest_slot;
  ClassTotals classes[kCallClassCount];  // writer: every member, by addition
  // The counters of members that have left. Writer: the process that frees or takes over a slot.
  Counters left;
  Disk disks[kDisksMax];
  KnownDevice devices[kKnownDevicesMax];
  // The time in which members waited for disks, as the sum over all members. Writer: every member.
  std::atomic<std::uint64_t> stalled_ns;
  // The pages of slots that a member has ever used, one bit for each page. The first page of the segment has no bit. The other pages have no memory
  // and must not be touched. Writer: the member that claims a slot, after it has reserved the page and before it claims the slot.
  std::atomic<std::uint64_t> used_members;
  std::uint32_t is_all_reserved;  // 1: no memory need be reserved later. Written before the magic number.
  std::atomic<std::uint32_t> is_dirty_table_reserved;  // writer: the process that reserved it
  // The namespace in which creator_pid counts, and the session of that process there. Written before the magic number.
  std::uint32_t pid_namespace;
  std::uint32_t creator_session;

  // The instant at which the table of dirty data was taken; 0: no member holds it. The table tells which data of the job's files is in memory
  // and not on disk yet.
  // Writer: the member that holds the table (job/dirty_table.hpp).
  alignas(64) std::atomic<std::uint64_t> dirty_table_held_ns;  // since when; 0: not held

  // The value of lane_charged when the lane was last found paid. Writer: the member that finds this.
  std::atomic<std::uint64_t> lane_settled[kLaneStates];

  std::atomic<std::uint64_t>
      measured_reads[kMeasuredReadsMax];  // writer: the launcher, while the program begins
  // Bytes of the page cache (transfer/own_cache.hpp): those that the members brought in, and the part of them that they dropped. Writer: every member, by addition.
  std::atomic<std::uint64_t> cache_brought_bytes;
  std::atomic<std::uint64_t> cache_let_go_bytes;
  // How many bytes of the page cache the job may keep under --cache neutral; 0: no member has computed this yet. Writer: the member that brings in the first page.
  std::atomic<std::uint64_t> cache_room_bytes;
  std::atomic<std::uint32_t> is_let_go_reserved;    // writer: the process that reserved it
  std::atomic<std::uint32_t> is_progress_reserved;  // writer: the process that reserved it
  // The launcher sends to the disk the data that closed files left to the kernel (left_writes.hpp). This is the number of the mount plus one; 0: no
  // request. Writer: the member that asks; the launcher clears it.
  std::atomic<std::uint64_t> send_left_of;
  // The number of requests, and a futex. Writer: the member that asks, and the launcher, which wakes its own thread.
  std::atomic<std::uint32_t> left_asked;
  std::atomic<std::uint32_t>
      sends_left;  // 1: the launcher sends such data. Writer: the launcher, and a member whose wait failed.
  // The instant at which the launcher began to send, and the disk; 0: the launcher is not sending. Writer: the launcher.
  std::atomic<std::uint64_t> sending_left;

  Member members[kMemberMax];

  alignas(8) unsigned char dirty_table[kDirtyTableBytes];

  std::atomic<std::uint32_t> let_go_files[kLetGoFiles];  // writer: every member
  // This part has memory from the first use of a disk whose other users are seen by the job's progress. It must not be touched before that
  // use.
  alignas(kFrontBytes) Progress progress[kDisksMax];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(offsetof(Segment, members) == kFrontBytes - kMembersInFront * sizeof(Member));
static_assert(offsetof(Segment, dirty_table) % kFrontBytes == 0);
static_assert(offsetof(Segment, let_go_files) % kFrontBytes == 0);

}  // namespace discnice::protocol
