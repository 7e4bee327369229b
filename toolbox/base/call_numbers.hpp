// SPDX-License-Identifier: MIT
// call_numbers: numbers of system calls under the names that glibc gives them, also where its list is older than the kernel's headers.
//
// Packages are built with a glibc that has no names for these calls yet (script/package). A kernel without such a call refuses it.
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
