#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""without_calls: runs a program in a sandbox that refuses some system calls, as containers do.

  without_calls.py ERROR NAME[,NAME...] -- CMD...   ERROR: the name of an errno (EPERM). NAME: seccomp, ptrace, cachestat, mincore, pidfd_getfd

CMD and the programs that it starts get no rights from set-user-ID programs (no_new_privs).
"""
import ctypes
import errno
import os
import platform
import struct
import sys

NUMBERS = {
    "x86_64": {"seccomp": 317, "ptrace": 101, "cachestat": 451, "mincore": 27, "pidfd_getfd": 438},
    "aarch64": {"seccomp": 277, "ptrace": 117, "cachestat": 451, "mincore": 232, "pidfd_getfd": 438},
}
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
LOAD_NUMBER, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000


def filter_of(numbers, error):
    steps = [(LOAD_NUMBER, 0, 0, 0)]
    for number in numbers:
        steps += [(JUMP_IF_EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE | error)]
    steps.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def main():
    error, names = getattr(errno, sys.argv[1]), sys.argv[2].split(",")
    numbers = [NUMBERS[platform.machine()][name] for name in names]
    libc = ctypes.CDLL(None, use_errno=True)
    code = filter_of(numbers, error)
    kept = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(kept))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.prctl(PR_SET_SECCOMP, MODE_FILTER, program, 0, 0) != 0:
        sys.exit(f"without_calls: {os.strerror(ctypes.get_errno())}")
    os.execvp(sys.argv[4], sys.argv[4:])


main()
