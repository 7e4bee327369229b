// SPDX-License-Identifier: MIT
// needs: what programs take beside the memory they are granted, learned from what they took.
//
// Knowledge assumed: a program takes memory to start (an interpreter, its libraries, a heap's own administration) before it touches
// what it was told it may use, and beside it.
// Output observed: the most that the kernel counted as the program's own, when it has ended.
// Inference drawn: what went beyond the grant is the program's need. A program that stayed below its grant needs no more than all it took.
// What breaks it: a program that does not keep to the number it is told: hence the bound. One that needs much more on some days than
// on others: hence the highest need counts, and is forgotten slowly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gb_run {

/// Of a program of which nothing is known yet. In a small pool it is less: need_of().
inline constexpr std::uint64_t kUnknownNeedBytes = std::uint64_t{24} << 20U;
/// No program is believed to need more.
inline constexpr std::uint64_t kNeedMaxBytes = std::uint64_t{512} << 20U;

/// The need that follows from one more run. `known` is what was known before, if anything. Pure.
std::optional<std::uint64_t> learn(std::optional<std::uint64_t> known, std::uint64_t grant_bytes,
                                   std::uint64_t peak_bytes);

/// What to leave free for a program's need beside a grant of at least `min_bytes`, in a pool of `capacity_bytes`. Nothing is
/// refused for a need that is only supposed. Pure.
std::uint64_t need_of(std::optional<std::uint64_t> known, std::uint64_t min_bytes,
                      std::uint64_t capacity_bytes);

/// The file in which this user's needs are kept: a line "BYTES NAME" for each program, the one that ran last at the end. Empty
/// where the environment names no folder for such things.
std::string needs_file();

/// What the file says of the program; nothing if it says nothing, is not readable or makes no sense.
std::optional<std::uint64_t> read_need(const std::string& file, const std::string& program);

/// Writes it there, replacing the file as a whole. Where that cannot be done the need stays unknown.
void write_need(const std::string& file, const std::string& program, std::uint64_t need_bytes);

}  // namespace gb_run
