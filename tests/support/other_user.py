#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""other_user: leaves something under a name in /dev/shm, as the user who runs it, until its standard input ends.

  other_user.py trap KIND PATH   KIND: file:MODE:BYTES  write-lease:BYTES  read-lease:BYTES  fifo  fifo-held  link:TARGET  folder  socket
  other_user.py race             watches /dev/shm and answers each name of a job with the name that its ring once had, and the reverse
  other_user.py forge UID MAKER COUNT SEGMENT
                                 COUNT copies of the file SEGMENT under names of user UID's jobs, as if the process MAKER had made them
  other_user.py flood UID COUNT  COUNT empty files under names of user UID's jobs

It prints "set" when it is ready. At the end it removes what it has left.
"""
import ctypes
import fcntl
import os
import select
import signal
import socket
import struct
import sys
import time

SHM = "/dev/shm"
left = []


def note(path):
    left.append(path)
    return path


def pid_namespace():
    return os.stat("/proc/self/ns/pid").st_ino


def file_at(path, mode, size):
    fd = os.open(note(path), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    os.fchmod(fd, mode)
    os.ftruncate(fd, size)
    return fd


def leave(kind, path):
    what, *more = kind.split(":")
    if what == "file":
        os.close(file_at(path, int(more[0], 8), int(more[1])))
    elif what == "write-lease":  # a process that opens the file waits for this one, which never answers
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        fcntl.fcntl(file_at(path, 0o666, int(more[0])), fcntl.F_SETLEASE, fcntl.F_WRLCK)
    elif what == "read-lease":
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        os.close(file_at(path, 0o666, int(more[0])))
        fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)
    elif what == "fifo":
        os.mkfifo(note(path))
        os.chmod(path, 0o666)
    elif what == "fifo-held":
        os.mkfifo(note(path))
        os.chmod(path, 0o666)
        os.open(path, os.O_RDWR)
    elif what == "link":
        os.symlink(more[0], note(path))
    elif what == "folder":
        os.mkdir(note(path))
        os.chmod(path, 0o777)
    elif what == "socket":
        endpoint = socket.socket(socket.AF_UNIX)
        endpoint.bind(note(path))
        os.chmod(path, 0o666)
        leave.kept = endpoint
    else:
        sys.exit(f"other_user: no kind {kind}")


def race():
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(0)
    in_create = 0x100
    libc.inotify_add_watch(watch, SHM.encode(), in_create)
    print("set", flush=True)
    while True:
        ready, _, _ = select.select([watch, sys.stdin], [], [])
        if sys.stdin in ready:
            return
        events = os.read(watch, 65536)
        while events:
            length = struct.unpack_from("iIII", events)[3]
            name = events[16:16 + length].rstrip(b"\0").decode()
            events = events[16 + length:]
            if not name.startswith("discnice-") or ".disks" in name:
                continue
            other = name[:-len("-ring")] if name.endswith("-ring") else name + "-ring"
            try:
                os.close(file_at(f"{SHM}/{other}", 0o666, 0))
            except OSError:
                left.pop()


def forge(user, maker, count, segment):
    with open(segment, "rb") as source:
        content = source.read()
    now_ns = time.monotonic_ns()
    for i in range(count):
        # Also under the older form of names, which had no namespace.
        for name in (f"discnice-{user}-{maker}-{pid_namespace()}-{now_ns + i}", f"discnice-{user}-{maker}-{now_ns + i}"):
            with open(note(f"{SHM}/{name}"), "xb") as target:
                os.fchmod(target.fileno(), 0o600)
                target.write(content)


def flood(user, count):
    for i in range(count):
        os.close(os.open(note(f"{SHM}/discnice-{user}-1-{pid_namespace()}-{i}"), os.O_CREAT | os.O_RDWR, 0o666))


def main():
    what, *arguments = sys.argv[1:]
    try:
        if what == "trap":
            leave(*arguments)
        elif what == "forge":
            forge(int(arguments[0]), int(arguments[1]), int(arguments[2]), arguments[3])
        elif what == "flood":
            flood(int(arguments[0]), int(arguments[1]))
        if what == "race":
            race()
        else:
            print("set", flush=True)
            sys.stdin.read()
    finally:
        for path in left:
            try:
                os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
            except OSError:
                pass


main()
