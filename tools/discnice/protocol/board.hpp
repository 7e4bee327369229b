// SPDX-License-Identifier: MIT
// board: what all jobs of one user know of the disks that they use. It is a small file in /dev/shm, one for each user, that outlasts the
// jobs.
//
// It is an ABI under the rules of layout.hpp. The version is part of the file's name, so a release with another layout has another file. A board of
// zero bytes is empty. So the first process that needs a board makes one by giving the file its size. Members add the bytes that their own jobs
// move. So no job takes another job of the same user for a foreground. If discnice-policyd runs, it samples each disk once for all jobs.
#pragma once

#include <atomic>
#include <cstdint>

#include "toolbox/base/result.hpp"
#include "toolbox/base/seqlock.hpp"
#include "tools/discnice/contract/disk_activity.hpp"

namespace discnice::protocol {

inline constexpr std::uint32_t kBoardVersion = 3;
inline constexpr unsigned kBoardDisksMax = 64;
/// The parts of a board's name before and behind the user's number. The version comes last.
inline constexpr char kBoardPrefix[] = "discnice-";
inline constexpr char kBoardMark[] = ".disks";

/// A published sample is valid for this time; after that the members read the counters themselves. It is a few times the daemon's
/// interval.
inline constexpr std::uint64_t kPublishedMaxNs = 10'000'000;
/// The daemon samples a disk if a member has requested a sample within this time.
inline constexpr std::uint64_t kWantedMaxNs = 1'000'000'000;

struct PublishedSample {
  std::uint64_t sampled_at_ns;  // CLOCK_MONOTONIC; 0: never
  DiskSample sample;
};

struct alignas(64) BoardDisk {
  std::atomic<std::uint64_t>
      number;  // the disk's device number plus one; writer: the first process that claims it
  std::atomic<std::uint64_t> own_read_bytes;       // writer: every member of every job, by addition
  std::atomic<std::uint64_t> own_written_bytes;    // the same
  std::atomic<std::uint64_t> own_syncs;            // the same
  std::atomic<std::uint64_t> wanted_at_ns;         // writer: each process that looks
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

/// Maps the board of the calling user (uid 0 is treated like any user). Makes the board if there is none. If this user's file under that name is no
/// board, it is made anew or completed. Errors: -EPERM or -EPROTO (the name belongs to another user), -ENOSPC, else as open(2). Never waits.
gray::base::Result<Board*> map_board();

void unmap(Board* board);

/// The disk's entry, made when there is none. Null when the table is full.
BoardDisk* find_disk(Board& board, std::uint64_t disk);

/// The daemon's published sample of the disk. Returns false when the sample is older than kPublishedMaxNs. The call also tells the daemon that a
/// member wants a sample.
bool published_sample(BoardDisk& disk, std::uint64_t now_ns, DiskSample* sample);

}  // namespace discnice::protocol
