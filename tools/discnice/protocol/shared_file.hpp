// SPDX-License-Identifier: MIT
// shared_file: may a file in the folder of shared memory be mapped and trusted?
#pragma once

#include <cstdint>

namespace discnice::protocol {

/// 0 when the descriptor is a regular file of just `size_bytes`, of our own user (root: of anybody), and closed to all others.
/// Else -EPROTO for one of another kind or size, -EPERM for one of others, or the error of asking. errno is kept.
int check_shared_file(long descriptor, std::uint64_t size_bytes);

}  // namespace discnice::protocol
