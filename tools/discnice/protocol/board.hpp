// SPDX-License-Identifier: MIT
// board: what all jobs of one user know together of the disks they use: a small file in /dev/shm, one a user, that outlasts them.
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
/// What stands before the user's number and behind it in a board's name; the version comes last.
inline constexpr char kBoardPrefix[] = "discnice-";
inline constexpr char kBoardMark[] = ".disks";

/// A published sample holds for so long, then members look for themselves: a few times what the daemon leaves between two.
inline constexpr std::uint64_t kPublishedMaxNs = 10'000'000;
/// The daemon samples what somebody has asked for within this time.
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

/// Maps the board of the calling user, uid 0 like any other. It is made if there is none, and made anew or made whole if what this user has
/// under its name is no board. Errors: -EPERM or -EPROTO (the name is somebody else's), -ENOSPC, else as open(2). Never waits.
gray::base::Result<Board*> map_board();

void unmap(Board* board);

/// The disk's entry, made when there is none; null when the table is full.
BoardDisk* find_disk(Board& board, std::uint64_t disk);

/// What the daemon has published of the disk; false when that is older than kPublishedMaxNs. Tells it that somebody wants to know.
bool published_sample(BoardDisk& disk, std::uint64_t now_ns, DiskSample* sample);

}  // namespace discnice::protocol
