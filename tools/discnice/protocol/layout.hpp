// SPDX-License-Identifier: MIT
// layout: the shared-memory segment through which the preload library, the command and the daemon tell each
// other things.
//
// This is an ABI between releases. Rules: Widths are fixed. Fields are only appended. Every field names its writer. kSegmentVersion goes up whenever the meaning or place of an
// existing field changes, and a reader refuses any other version than its own. Members may die at any instruction, so nothing here is a lock. Counters are changed by single
// atomic additions. The budget is one word that is changed by compare-and-swap. The grant is published under a sequence number. The table of dirty data alone is held while it is
// changed, by an instant that grows stale; it holds hints.
//
// Whoever has the segment mapped can write anything into it, also by mistake. So each value is read once, checked against what it can be and
// then used (toolbox/base/read_once.hpp). Where: instants of accounts in lane_account.hpp and guarded_word.hpp, the grant, what is lent and the
// names in segment.cpp, slots and numbers of processes in members.cpp, devices in device_facts.cpp, disks in disk_words.hpp and
// measured_reads.hpp, progress in progress_words.hpp, what is asked of the launcher in its left_writes_sender, the table of dirty data in the predictor's update_regions, resting_files and inode_blocks, a member's debts in the preload
// library's account and transfers.
//
// Invariant over a job: bytes charged - bytes refunded = what Segment::lane_states[0] was moved by, in time, less what is in
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
    2;  // beside the job's accounts, on the first page of the segment
inline constexpr std::uint32_t kMembersAtOnce = 16;  // on each page behind it
inline constexpr std::uint32_t kMemberMax = kMembersInFront + 63 * kMembersAtOnce;
/// The first page, which every job has. The other pages get their memory at their first use (reserve.hpp).
inline constexpr std::size_t kFrontBytes = 4096;
inline constexpr std::size_t kJobNameBytesMax = 64;

/// The counters of a member about itself. Only append values: the order is the layout.
enum class Counter : std::uint8_t {
  file_read_bytes,        // bytes that read calls returned from charged files
  file_write_bytes,       // bytes that write calls took for charged files
  predicted_read_bytes,   // the model: disk bytes those reads cause
  predicted_write_bytes,  // the model: disk bytes those writes cause, less refunds
  settled_read_bytes,     // the kernel's account, as far as this member has looked
  settled_write_bytes,    // the same for writes
  slept_ns,               // time spent waiting for the policy
  waits,                  // how often
  calls,                  // hooked calls on charged files
  charged_calls,          // of these, the ones with a predicted cost
  interrupted_waits,      // waits cut short by a signal; the rest stays owed
  fallbacks,              // calls passed through because our own state did not allow more
  probe_bytes,            // disk bytes our own cache probes may have caused, at most
  images,                 // program images (exec) the member has run
  corrected_read_bytes,   // what settling added to the predictions; sums may be below zero (two's complement)
  corrected_write_bytes,  // the same for writes
};
inline constexpr std::uint32_t kCounterCount = 16;

struct Counters {
  std::atomic<std::uint64_t> value[kCounterCount];  // writer: the member; relaxed, they are independent sums
};

/// One process of the job. 256 bytes, so that two members never write to the same cache line.
struct alignas(256) Member {
  std::atomic<std::uint32_t> pid;          // writer: whoever claims or releases the slot; 0 = free
  std::atomic<std::uint32_t> grace_calls;  // writer: the member; calls that need not wait after a signal
  Counters counters;
  // The member's account with the kernel, and its debts. Writer: the member's threads.
  std::atomic<std::uint64_t> pending_read_bytes;   // predicted since the last settlement
  std::atomic<std::uint64_t> pending_write_bytes;  // the same for writes
  std::atomic<std::uint64_t> owed_until_ns;        // unpaid waiting: the next call pays it first
  std::atomic<std::uint64_t> settled_at_ns;        // when the kernel's account was last read
  std::atomic<std::uint64_t>
      yielded_until_ns;                       // what a wait that gave way to a signal put off is paid by then
  std::atomic<std::uint64_t> grace_until_ns;  // until then small calls need not wait after a signal
  std::atomic<std::uint64_t>
      reserved_bytes;  // charged for operations that still wait; returned when the member dies
  std::atomic<std::uint64_t> awaiting_calls;     // of its threads, calls under way that need a disk
  std::atomic<std::uint64_t> awaiting_since_ns;  // when the first of them began
  std::atomic<std::uint32_t>
      pid_namespace;  // in which its number counts (pid_namespace.hpp); writer: as of pid
};
static_assert(sizeof(Member) == 256);

/// The classes that `discnice verify` distinguishes. Only append values.
enum class CallClass : std::uint8_t { read, write, copy, remove, create };
inline constexpr std::uint32_t kCallClassCount = 5;

/// The sums of all calls of one class, of all members together. They are kept only while verifying. The kernel's part is what the kernel booked to the calls themselves.
struct ClassTotals {
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> bytes;
  std::atomic<std::uint64_t> predicted_read_bytes;
  std::atomic<std::uint64_t> predicted_write_bytes;  // of removals: what they saved
  std::atomic<std::uint64_t> kernel_read_bytes;
  std::atomic<std::uint64_t> kernel_write_bytes;
};

/// A grant with a checksum, so that a wrong byte is noticed; see load_grant().
struct CheckedGrant {
  Grant grant;
  std::uint64_t sum;
};

/// How many disks a job's policy can watch at once. Files on other disks are not held back because of other users.
inline constexpr std::uint32_t kDisksMax = 8;
inline constexpr std::uint32_t kActivityWords = sizeof(DiskActivity) / sizeof(std::uint64_t);
static_assert(sizeof(DiskActivity) % sizeof(std::uint64_t) == 0);

/// One disk that the job uses: the bytes that the members moved there, and what is known of its other users.
struct alignas(32) Disk {
  // The device number plus one. It is that of the disk whose counters show its traffic (outputs/disk_counters.hpp), or else that of the file system. Writer: the member that
  // claims the entry first.
  std::atomic<std::uint64_t> number;
  std::atomic<std::uint64_t> own_read_bytes;     // writer: every member, by addition
  std::atomic<std::uint64_t> own_written_bytes;  // the same
  std::atomic<std::uint64_t> sampled_at_ns;  // writer: the member that takes the sample, by compare-and-swap
  std::atomic<std::uint64_t>
      activity[kActivityWords];          // a DiskActivity; writer: whoever took the last sample
  std::atomic<SeenBy> seen_by;           // by what others are seen there; writer: whoever looks
  std::atomic<std::uint64_t> own_syncs;  // writer: every member, by addition
  std::atomic<std::uint64_t>
      write_bytes_per_s;  // as found when writing in steps; 0: not yet. Writer: whoever found it
};

/// For how many disks a job can get the measured time of a random read (measured_reads.hpp).
inline constexpr std::uint32_t kMeasuredReadsMax = 4;
inline constexpr std::uint32_t kProgressWords = sizeof(JobProgress) / sizeof(std::uint64_t);
static_assert(sizeof(JobProgress) % sizeof(std::uint64_t) == 0);

/// The calls of one kind, as CallSums. Writer: every member, by addition. The member that ends the interval takes them out.
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
  std::atomic<std::uint64_t>
      ended_at_ns;  // when the last one did; writer: the member that ends one, by compare-and-swap
  std::atomic<std::uint64_t> words[kProgressWords];  // a JobProgress; writer: whoever ended the last interval
};

/// For how many devices the processes of a job can share facts. Each process learns about further devices itself.
inline constexpr std::uint32_t kKnownDevicesMax = 8;

/// The facts that a member has learned about a device (device_facts.hpp).
struct KnownDevice {
  std::atomic<std::uint64_t> number;  // the device number plus one; writer: whoever claims it first
  std::atomic<std::uint64_t> limits;  // of its read-ahead: lengths in pages, and the order of its folios
  std::atomic<std::uint64_t> disk;    // whose counters tell of it; 0: not known
  std::atomic<std::uint64_t> learned_at_ns;  // 0: not yet. Writer of these three: whoever has learned it
};

/// The rate that a divider (the launcher of a sharing job, or the daemon) lends the job. It is stale after kLentMaxNs: then the job uses its own grant.
struct Lent {
  std::atomic<std::uint64_t> rate_bytes_per_s;
  std::atomic<std::uint64_t> lent_at_ns;
  std::atomic<std::uint32_t> sum;  // over the others, so that a wrong byte is noticed; see lent_rate()
  std::atomic<std::uint32_t> is_daemon;
};
inline constexpr std::uint64_t kLentMaxNs = 1'000'000'000;

/// Names of programs of a job that are not held.
inline constexpr std::uint32_t kExcludedMax = 8;
inline constexpr std::uint32_t kExcludedBytesMax = 32;

/// Bits of JobOptions::disabled_models.
inline constexpr std::uint32_t kWithoutCache = 1;      // every page is taken for absent
inline constexpr std::uint32_t kWithoutReadahead = 2;  // a miss brings in what was asked for and no more
inline constexpr std::uint32_t kWithoutWrites = 4;     // a write reaches the disk as often as it is made

/// Bits of JobOptions::recorded.
inline constexpr std::uint32_t kRecordOperations =
    1;  // each file operation, as the models saw it, and its outcome
inline constexpr std::uint32_t kRecordStacks = 2;  // the call stacks of those that cost the disk something

/// What the job was started with; written once before the magic number is, but for probe_hit_max_ns.
/// Of JobOptions::readahead_rules, where microbench has not found them out.
inline constexpr std::uint16_t kRulesNotMeasured = UINT16_MAX;

struct JobOptions {
  std::uint32_t is_ledger_on;   // settle predictions by the kernel's account
  std::uint32_t cache_backend;  // predictor-side number of the residency backend; 0 = choose by self-test
  std::uint64_t
      probe_hit_max_ns;  // a timed probe up to this is a hit; 0 = judge each probe against a second one. Writer: the launcher, while the
                         // program begins (segment.hpp)
  std::uint32_t is_verifying = 0;     // predict every call, and keep the totals of each class
  std::uint32_t disabled_models = 0;  // see kWithoutCache and its kin
  std::uint32_t recorded = 0;         // kRecordOperations, kRecordStacks: put into the job's ring
  std::uint16_t is_adopted = 0;       // its processes ran before it, and go on when its maker ends
  std::uint16_t readahead_rules = kRulesNotMeasured;    // toolbox/base/readahead_rules.hpp. Writer: as above
  char excluded[kExcludedMax][kExcludedBytesMax] = {};  // programs left alone; an empty name ends the list
};

/// What the job's TCP connections to other hosts do; its limits are in the grant. Writer: the launcher, if it was asked to hold the network. Nothing goes by these
/// numbers but what people are shown.
struct Net {
  std::atomic<std::uint32_t> is_held;     // 1: the launcher looks at them, and goes by the grant
  std::atomic<std::uint32_t> was_held;    // 1: it does, or did
  std::atomic<std::uint64_t> sent_bytes;  // that arrived
  std::atomic<std::uint64_t> received_bytes;
  std::atomic<std::uint64_t> connections;        // ever
  std::atomic<std::uint64_t> udp_sockets;        // ever seen; they are not held
  std::atomic<std::uint64_t> mptcp_connections;  // ever seen; multipath TCP is not held either
  std::atomic<std::uint64_t> refused_processes;  // that may not be reached
};

/// As many as there are lanes (policy/lanes.hpp).
inline constexpr std::uint32_t kLaneStates = 4;

/// Room for the table of dirty data. The predictor defines its layout (dirty_data.hpp), and zero bytes are an empty table. Its second part is used if more files are dirty than
/// the first part can hold.
inline constexpr std::size_t kDirtyTableBytes = 65536 + 274432;

/// The number of places for marks of files of which pages were dropped (let_go_files.hpp).
inline constexpr std::uint32_t kLetGoFiles = 65536;

struct Segment {
  std::atomic<std::uint64_t> magic;  // writer: the creator, last of all (release); readers acquire
  std::uint32_t version;
  std::uint32_t size_bytes;
  std::uint32_t owner_uid;
  std::uint32_t creator_pid;
  std::uint64_t created_ns;  // CLOCK_MONOTONIC; as in the segment's name, if it has one
  char job_name[kJobNameBytesMax];
  Net net;
  JobOptions options;

  alignas(
      64) gray::base::Seqlock<CheckedGrant> grant;  // writer: the launcher or `discnice set`, one at a time

  // Instants in the form of guarded_word.hpp, checked by lane_account.hpp. Writer: every member, by compare-and-swap.
  alignas(64) std::atomic<std::uint64_t> lane_states[kLaneStates];  // by policy::Lane
  std::atomic<std::uint64_t>
      last_go;  // when an operation last went that the disk's other users could have held
  Lent lent;

  // Units that were waited for and then not moved. Operations use them before they use the rate. Writer: every member, by compare-and-swap.
  alignas(64) std::atomic<std::uint64_t> lane_credits[kLaneStates];
  // The units for which lane_states were ever moved ahead. Writer: every member, by addition.
  std::atomic<std::uint64_t> lane_charged[kLaneStates];

  alignas(64) std::atomic<std::uint32_t> member_epoch;  // one more for each process image that joined
  std::atomic<std::uint32_t> members_live;              // joined less left; a killed member stays in it
  std::atomic<std::uint32_t> members_total;             // processes that ever joined
  std::atomic<std::uint32_t> farthest_slot;             // from its home place, of any member yet
  ClassTotals classes[kCallClassCount];                 // writer: every member, by addition
  Counters left;  // what members that left had counted; writer: whoever frees or takes over a slot
  Disk disks[kDisksMax];
  KnownDevice devices[kKnownDevicesMax];
  std::atomic<std::uint64_t>
      stalled_ns;  // how long members have waited for disks, each by itself; writer: every member
  // Which pages of slots were ever used by a member: one bit for each page; the first page is in front and has no bit. The other pages have no memory and must not be touched.
  // Writer: the member that claims a slot, after it has reserved the page and before it claims the slot.
  std::atomic<std::uint64_t> used_members;
  std::uint32_t is_all_reserved;  // memory need not be reserved later; written before the magic number is
  std::atomic<std::uint32_t> is_dirty_table_reserved;  // writer: whoever reserved it
  // The namespace in which creator_pid counts, and the session of that process there. Written before the magic number.
  std::uint32_t pid_namespace;
  std::uint32_t creator_session;

  // Which data of the job's files is in memory and not on disk yet. Writer: the member that holds it (job/dirty_table.hpp).
  alignas(64) std::atomic<std::uint64_t> dirty_table_held_ns;  // since when; 0: by nobody

  // The value of lane_charged when the lane was last found paid. Writer: the member that finds this.
  std::atomic<std::uint64_t> lane_settled[kLaneStates];

  std::atomic<std::uint64_t>
      measured_reads[kMeasuredReadsMax];  // writer: the launcher, while the program begins
  // Bytes of the page cache (transfer/own_cache.hpp): those that the members brought in, and the part of them that they dropped. Writer: every member, by addition.
  std::atomic<std::uint64_t> cache_brought_bytes;
  std::atomic<std::uint64_t> cache_let_go_bytes;
  // How many bytes of the page cache the job may keep under --cache neutral; 0: no member has computed this yet. Writer: the member that brings in the first page.
  std::atomic<std::uint64_t> cache_room_bytes;
  std::atomic<std::uint32_t> is_let_go_reserved;    // writer: whoever reserved it
  std::atomic<std::uint32_t> is_progress_reserved;  // writer: whoever reserved it
  // The launcher sends data to the disk that closed files left to the kernel (left_writes.hpp). This is the number of the mount plus one; 0: no request. Writer: the member that
  // asks; the launcher clears it.
  std::atomic<std::uint64_t> send_left_of;
  std::atomic<std::uint32_t> left_asked;  // one more for each asking, and a futex; writer: as above
  std::atomic<std::uint32_t>
      sends_left;  // 1: it does. Writer: the launcher, and a member that waited in vain
  std::atomic<std::uint64_t> sending_left;  // since when and to which disk; 0: not now; writer: the launcher

  Member members[kMemberMax];

  alignas(8) unsigned char dirty_table[kDirtyTableBytes];

  std::atomic<std::uint32_t> let_go_files[kLetGoFiles];  // writer: every member
  // This part has memory from the first use of a disk whose other users are seen by the job's progress. It must not be touched before.
  alignas(kFrontBytes) Progress progress[kDisksMax];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(offsetof(Segment, members) == kFrontBytes - kMembersInFront * sizeof(Member));
static_assert(offsetof(Segment, dirty_table) % kFrontBytes == 0);
static_assert(offsetof(Segment, let_go_files) % kFrontBytes == 0);

}  // namespace discnice::protocol
