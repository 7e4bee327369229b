# SPDX-License-Identifier: MIT
"""_device: the name of the file system or device behind a path that stays the same over reboots, as it stands after @ in a figure's name."""
from __future__ import annotations

import ctypes
import fcntl
import os
import re
import stat
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._native import Path

GET_FILE_SYSTEM_UUID = 0x80111500  # FS_IOC_GETFSUUID, since Linux 6.9


def _uuid_from_kernel(fd: int) -> str:
    try:
        answer = fcntl.ioctl(fd, GET_FILE_SYSTEM_UUID, bytes(17))
    except OSError:
        return ""
    if answer[0] != 16:
        return ""
    digits = answer[1:].hex()
    return "uuid:" + "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _uuid_from_links(device: int) -> str:
    folder = "/dev/disk/by-uuid/"
    try:
        names = os.listdir(folder)
    except OSError:
        return ""
    for name in names:
        try:
            target = os.stat(folder + name)
        except OSError:
            continue
        if stat.S_ISBLK(target.st_mode) and target.st_rdev == device:
            return f"uuid:{name}"
    return ""


def _serial(device: int) -> str:
    for name in ("wwid", "serial", "device/wwid", "device/serial"):
        try:
            with open(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/{name}", encoding="latin-1") as stream:
                text = re.sub(r"[^a-zA-Z0-9:._-]", "-", stream.readline().rstrip(" \n")[:64])
        except OSError:
            continue
        if text:
            return f"serial:{text}"
    return ""


def _fsid(path: bytes) -> str:
    """The number of the file system, which statvfs of Python does not tell."""
    libc = ctypes.CDLL(None, use_errno=True)
    answer = ctypes.create_string_buffer(256)
    words = struct.unpack("@II", answer.raw[56:64]) if libc.statfs(path, answer) == 0 else (0, 0)
    return "fsid:%08x%08x" % words if any(words) else ""


def identity(path: "Path") -> str:
    """Raises OSError as os.open does."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        facts = os.fstat(fd)
        is_block_device = stat.S_ISBLK(facts.st_mode)
        device = facts.st_rdev if is_block_device else facts.st_dev
        name = "" if is_block_device else _uuid_from_kernel(fd)
        name = name or _uuid_from_links(device) or _serial(device)
        if not name and not is_block_device:
            name = _fsid(os.fsencode(path))
        return name or f"dev:{os.major(device)}:{os.minor(device)}"
    finally:
        os.close(fd)
