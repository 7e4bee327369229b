// SPDX-License-Identifier: MIT
// board: the facts that all jobs of one user share about their disks. It is a small file in /dev/shm, one for each user, and it outlasts the jobs.
//
// It is an ABI under the rules of layout.hpp. The version is part of the file's name, so a release with another layout has another file. Zero
// bytes are an empty board; so the first process that wants it makes it by giving the file its size. Members add what their own jobs move. So no job
// takes another job of the same user for a foreground. Where discnice-policyd runs, it samples each disk once for all of them.
#pragma once

#include <atomic>
#include <cstdint>

#include "toolbox/base/result.hpp"
#include "toolbox/base/seqlock.hpp"
#include "tools/discnice/contract/disk_activity.hpp"

namespace discnice::protocol {

inline constexpr std::uint32_t kBoardVersion = 3;
inline constexpr unsigned kBoardDisksMax = 64;
/// The text before the user's number in the name of a board, and the text behind it. The version comes last.
inline constexpr char kBoardPrefix[] = "discnice-";
inline constexpr char kBoardMark[] = ".disks";

/// A published sample is valid for this time; after that, members sample the disk themselves. The time is a few times the interval of the daemon.
inline constexpr std::uint64_t kPublishedMaxNs = 10'000'000;
/// The daemon samples the disks that a member has asked for within this time.
inline constexpr std::uint64_t kWantedMaxNs = 1'000'000'000;

struct PublishedSample {
  std::uint64_t sampled_at_ns;  // CLOCK_MONOTONIC; 0: never
  DiskSample sample;
};

struct alignas(64) BoardDisk {
  std::atomic<std::uint64_t> number;  // the disk's device number plus one; writer: whoever claims it first
  std::atomic<std::uint64_t> own_read_bytes;       // writer: every member of every job, by addition
  std::atomic<std::uint64_t> own_written_bytes;    // the same
  std::atomic<std::uint64_t> own_syncs;            // the same
  std::atomic<std::uint64_t> wanted_at_ns;         // writer: whoever looks
  gray::base::Seqlock<PublishedSample> published;  // writer: the daemon
};

struct Board {
  BoardDisk disks[kBoardDisksMax];
};

/// A board's name: "discnice-UID.disksVERSION".
struct BoardName {
  char text[48] = {};
};
BoardName board_name(std::uint32_t user);

/// Maps the board of the calling user; uid 0 is treated like any other user. The board is made if there is none. If the file under the name is this user's but is no valid board,
/// it is made anew or repaired. Errors: -EPERM or -EPROTO (the name belongs to somebody else), -ENOSPC, else as open(2). Never waits.
gray::base::Result<Board*> map_board();

void unmap(Board* board);

/// The entry of the disk, made if there is none; null if the table is full.
BoardDisk* find_disk(Board& board, std::uint64_t disk);

/// The sample of the disk that the daemon has published. False if it is older than kPublishedMaxNs. Also tells the daemon that the sample is wanted.
bool published_sample(BoardDisk& disk, std::uint64_t now_ns, DiskSample* sample);

}  // namespace discnice::protocol
