// SPDX-License-Identifier: MIT
// shared_file: files of one user in a folder where everybody may make names (/dev/shm).
//
// All programs and libraries of this project make and open their files in /dev/shm by these two functions alone. The functions treat the superuser like any other user. The rule:
// a file is made exclusively (O_EXCL) and is open to its user alone. A file that exists already is used only if it is a regular file of the calling user, has one name, and is
// open to nobody else.
// Anything else under the name may be a trap or a leftover of another user. It is not believed, not waited for and not changed.
#pragma once

#include <cstdint>

#include "toolbox/base/fd.hpp"

namespace gray::base {

/// Makes the file `path` for the effective user alone (mode 0600 whatever the umask), empty and open for reading and writing. A failure is in error(): -EEXIST if the name exists
/// already, also as a symbolic link.
ScopedFd make_shared_file(const char* path);

/// Whether a file may have more than one name. Some kernels let every user make a second name for any file (fs.protected_hardlinks). So a file that is corrected, or that is
/// written to before its content is checked, must have one name only: otherwise it may be another file of the user. A file whose content is checked first may have several names.
/// Otherwise anybody could make it useless by giving it a second name.
enum class Names : std::uint8_t { one, any };

/// Opens the file `path` for reading and writing, and tells its size. A failure is in error(). -ENOENT: there is no such file. -EPERM: it belongs to somebody else, is open to
/// others, or has more names than allowed. -EPROTO: it is not a regular file. -EAGAIN: a process holds a lease on it. Other errors are those of open(2).
/// Never waits: not for a lease, not for the other end of a FIFO. Thread- and fork-safe; async-signal-safe.
ScopedFd open_shared_file(const char* path, std::uint64_t* size_bytes, Names names = Names::one);

}  // namespace gray::base
