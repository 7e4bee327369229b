// SPDX-License-Identifier: MIT
// needs: how much memory programs need beside their grant, learned from earlier runs.
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

/// The assumed need of an unknown program. In a small pool it is less: need_of().
inline constexpr std::uint64_t kUnknownNeedBytes = std::uint64_t{24} << 20U;
/// No need is taken to be larger.
inline constexpr std::uint64_t kNeedMaxBytes = std::uint64_t{512} << 20U;

/// The need after one more run. `known` is the need known before, if any. Pure.
std::optional<std::uint64_t> learn(std::optional<std::uint64_t> known, std::uint64_t grant_bytes,
                                   std::uint64_t peak_bytes);

/// How much to leave free for a program's need beside a grant of at least `min_bytes`, in a pool of `capacity_bytes`. Nothing is refused because of an assumed need. Pure.
std::uint64_t need_of(std::optional<std::uint64_t> known, std::uint64_t min_bytes,
                      std::uint64_t capacity_bytes);

/// The file in which this user's needs are kept: a line "BYTES NAME" for each program, the one that ran last at the end. Empty
/// where the environment names no folder for such things.
std::string needs_file();

/// The need of the program in the file. Empty if the file does not name the program, can't be read or is damaged.
std::optional<std::uint64_t> read_need(const std::string& file, const std::string& program);

/// Writes the need there, and replaces the whole file. If that fails, the need stays unknown.
void write_need(const std::string& file, const std::string& program, std::uint64_t need_bytes);

}  // namespace gb_run
