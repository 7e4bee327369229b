# SPDX-License-Identifier: MIT
"""socket_limits: how the TCP connections of a process are held, read through duplicates of its descriptors.

  socket_limits.py PID           prints a line for each connection to another host: PACING LOCKS CLAMP BUFFER
  socket_limits.py PID held|free succeeds as soon as one connection is held in either direction, or all are free; fails after a long time
"""
import ctypes
import os
import socket
import sys
import time

PIDFD_OPEN, PIDFD_GETFD = 434, 438
PACING, LOCKS, CLAMP = 47, 72, 10
RECEIVE_LOCK = 2
UNLIMITED = 2**64 - 1
WAIT_S = 60
libc = ctypes.CDLL(None, use_errno=True)


def connections(pid):
    try:
        numbers = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return
    process = libc.syscall(PIDFD_OPEN, pid, 0)
    for number in numbers:
        try:
            if not os.readlink(f"/proc/{pid}/fd/{number}").startswith("socket:"):
                continue
        except OSError:
            continue
        copy = libc.syscall(PIDFD_GETFD, process, int(number), 0)
        if copy < 0:
            continue
        with socket.socket(fileno=copy) as one:
            try:
                if one.family not in (socket.AF_INET, socket.AF_INET6):
                    continue
                if one.getpeername()[0].startswith(("127.", "::1", "::ffff:127.")):
                    continue
                pacing = int.from_bytes(one.getsockopt(socket.SOL_SOCKET, PACING, 8), sys.byteorder)
                locks = one.getsockopt(socket.SOL_SOCKET, LOCKS)
                clamp = one.getsockopt(socket.IPPROTO_TCP, CLAMP)
                yield pacing, locks, clamp, one.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
            except OSError:
                pass
    os.close(process)


def is_held(one):
    pacing, locks, clamp, buffer = one
    return pacing != UNLIMITED or locks & RECEIVE_LOCK != 0


def main():
    pid = int(sys.argv[1])
    if len(sys.argv) == 2:
        for one in connections(pid):
            print(*one)
        return 0
    end = time.monotonic() + WAIT_S
    seen = []
    while time.monotonic() < end:
        seen = list(connections(pid))
        held = [is_held(one) for one in seen]
        if seen and (any(held) if sys.argv[2] == "held" else not any(held)):
            return 0
        time.sleep(0.05)
    print(f"not {sys.argv[2]}: {seen}", file=sys.stderr)
    return 1


sys.exit(main())
