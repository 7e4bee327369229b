// SPDX-License-Identifier: MIT
// needs: learns how much memory programs take in addition to their grant, from their earlier runs.
//
// Knowledge assumed: a program takes memory to start (an interpreter, its libraries, a heap's own administration). It takes this memory before it touches its granted memory, and
// in addition to it.
// Output observed: the largest amount that the kernel counted as the program's own, after the program has ended.
// Inference drawn: the amount beyond the grant is the program's need. A program that stayed below its grant needs at most the whole amount that it took.
// What breaks it: a program that does not keep to its grant (so the need is bounded); a program that needs much more memory on some days than on others (so the
// highest need is used, and falls slowly).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gb_run {

/// The need of a program that has not run yet. need_of() makes it less in a small pool.
inline constexpr std::uint64_t kUnknownNeedBytes = std::uint64_t{24} << 20U;
/// The largest need that is assumed for any program.
inline constexpr std::uint64_t kNeedMaxBytes = std::uint64_t{512} << 20U;

/// The need after one more run. `known` is the need known before, if any. Pure.
std::optional<std::uint64_t> learn(std::optional<std::uint64_t> known, std::uint64_t grant_bytes,
                                   std::uint64_t peak_bytes);

/// How much memory to leave free for a program's need in addition to a grant of at least `min_bytes`, in a pool of `capacity_bytes`. A need that is only
/// assumed never causes a refusal. Pure.
std::uint64_t need_of(std::optional<std::uint64_t> known, std::uint64_t min_bytes,
                      std::uint64_t capacity_bytes);

/// The file in which this user's needs are kept: a line "BYTES NAME" for each program, with the program that ran last at the end. Empty if the environment names no folder for it.
std::string needs_file();

/// The program's need in the file; no value if the file has none, is not readable or is malformed.
std::optional<std::uint64_t> read_need(const std::string& file, const std::string& program);

/// Writes the need to the file, and replaces the file as a whole. If that fails, the need stays unknown.
void write_need(const std::string& file, const std::string& program, std::uint64_t need_bytes);

}  // namespace gb_run
