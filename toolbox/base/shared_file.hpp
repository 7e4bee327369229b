// SPDX-License-Identifier: MIT
// shared_file: files of one user in a folder where everybody may make names (/dev/shm).
//
// Every name of ours there goes through these two functions, for every program and library, and for the superuser as for
// anybody. The rule: such a file is made exclusively and for its user alone; one that is there already is used only when it
// is a regular file under one name, of the calling user, open to nobody else. Whatever else lies under the name is somebody's
// trap or leftover and is neither believed, waited for nor changed.
#pragma once

#include <cstdint>

#include "toolbox/base/fd.hpp"

namespace gray::base {

/// Makes the file `path` for the effective user alone (mode 0600 whatever the umask), empty and open for reading and
/// writing. A failure is in error(): -EEXIST where anything has that name already, a symbolic link too.
ScopedFd make_shared_file(const char* path);

/// Whether a file may be known by more names than one. Where the kernel lets everybody make a second name for anybody's file
/// (fs.protected_hardlinks), a file that is made fit, or written to before its content is checked, must have one only: it may be another file
/// of the user's. One that is checked first may have several, or anybody could take it away by giving it a second.
enum class Names : std::uint8_t { one, any };

/// Opens the file `path` for reading and writing and tells its size. A failure is in error(): -ENOENT; -EPERM (somebody
/// else's, open to others, or known by more names than it may); -EPROTO (no regular file); -EAGAIN (somebody holds a lease on it);
/// else as open(2). Never waits: not for a lease, not for the other end of a FIFO. Thread- and fork-safe; async-signal-safe.
ScopedFd open_shared_file(const char* path, std::uint64_t* size_bytes, Names names = Names::one);

}  // namespace gray::base
