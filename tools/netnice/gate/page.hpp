// SPDX-License-Identifier: MIT
// page: the memory that netnice shares with libnetnice.so in the programs that it runs.
//
// It is a System V shared memory segment and no file: nobody can cut it short under a program that uses it, no descriptor leads to it, and it is marked for removal as soon as it
// is made, so nothing is left behind when all are killed. Linux lets processes attach to a segment that is marked so, while others are attached.
// The environment names it: NETNICE_GATE=ID-TOKEN. Owner, mode, size and token are checked before any word is used, and each word is bounded where it is used (lane).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "toolbox/base/result.hpp"
#include "tools/netnice/gate/lane.hpp"

namespace netnice::gate {

inline constexpr char kVariable[] = "NETNICE_GATE";
inline constexpr std::uint64_t kMagic = 0x6e65746e69636501;  // "netnice" and the layout's number

struct Page {
  std::uint64_t magic;
  std::uint64_t token;                 // also in the environment: an identifier may be given again
  std::atomic<std::uint64_t> beat_ns;  // CLOCK_MONOTONIC; netnice writes it in each of its steps
  Lane up;
  Lane down;
};

struct Name {
  int id = -1;
  std::uint64_t token = 0;
};

/// Without a beat for this time netnice counts as dead, and nothing is held.
inline constexpr std::uint64_t kBeatMostNs = 2'000'000'000;

/// Makes a page for the calling user, filled with zeros, and tells its name.
gray::base::Result<Page*> make(std::uint64_t token, Name* name);

/// Reads "ID-TOKEN". Returns false for any other text.
bool read_name(const char* text, Name* name);

/// Attaches the page of that name. Errors: -EPERM (of another user, or open to others), -EPROTO (no such page), else as shmat(2). Async-signal-safe.
gray::base::Result<Page*> attach(const Name& name);

/// Whether netnice is at work, and what goes this way is to be held.
bool is_held(const Page& page, const Lane& lane, std::uint64_t now_ns);

}  // namespace netnice::gate
