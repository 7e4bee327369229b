// SPDX-License-Identifier: MIT
// shared_file: files of one user in a folder where every user may make files (/dev/shm).
//
// All programs and libraries of this project make and open their files there through these two functions, also when the superuser runs them. The rule: a file is made exclusively
// and for its user alone. An existing file is used only when it is a regular file under one name, belongs to the calling user and is open to no other user. Any
// other object under the name may be an attack or a leftover: its content is not used, and the object is neither waited for nor changed.
#pragma once

#include <cstdint>

#include "toolbox/base/fd.hpp"

namespace gray::base {

/// Makes the file `path` for the effective user alone (mode 0600 whatever the umask), empty and open for reading and
/// writing. A failure is in error(): -EEXIST when the name exists already, also as a symbolic link.
ScopedFd make_shared_file(const char* path);

/// Whether a file may have more than one name. When fs.protected_hardlinks is off, any user can make a second name for any file. A file that is changed before
/// its content is checked must therefore have one name only: it may be another file of the same user. A file that is checked first may have several names.
/// Otherwise any user could make it unusable by giving it a second name.
enum class Names : std::uint8_t { one, any };

/// Opens the file `path` for reading and writing and tells its size. A failure is in error(): -ENOENT; -EPERM (another user's file, open to other users, or more names than
/// allowed); -EPROTO (no regular file); -EAGAIN (a process holds a lease on it); else as open(2). Never waits, neither for a lease nor for the other end of a FIFO. Thread- and
/// fork-safe; async-signal-safe.
ScopedFd open_shared_file(const char* path, std::uint64_t* size_bytes, Names names = Names::one);

}  // namespace gray::base
