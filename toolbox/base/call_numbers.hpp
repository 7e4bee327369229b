// SPDX-License-Identifier: MIT
// call_numbers: numbers of system calls under glibc's names, for a glibc that is older than the kernel's headers.
//
// Packages are built with a glibc that lacks these names (script/package). A kernel that lacks the call refuses it with ENOSYS.
#pragma once

#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range __NR_close_range
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 __NR_faccessat2
#endif
#ifndef SYS_openat2
#define SYS_openat2 __NR_openat2
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd __NR_pidfd_getfd
#endif
