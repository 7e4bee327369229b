# SPDX-License-Identifier: MIT
"""setting: what the parts of this benchmark share: the programs, the memory group, the division of the time."""
import contextlib
import os
import subprocess

import time_share
from control_groups import Memory
from programs import BUILD

MIB = 1 << 20
ADMISSION, FASTSORT = BUILD / "tests/bin/admission", BUILD / "bin/gb-fastsort"
LIMIT = 512 * MIB
MARGIN_SHARE = 32  # 1 / MARGIN_SHARE of the memory is left to other processes
SHARES = time_share.TimeShares({"blind": 1, "accuracy": 15, "cost": 22, "cost/between": 3, "rounds": 15, "hog": 15, "returnable": 20, "fastsort": 45})


class Room(Memory):
    """The memory group in which gb_alloc is asked."""

    def left(self):
        """The bytes that the group's limit leaves, with its file cache counted as gb_alloc counts it by default."""
        return self.limit_bytes - self.used_bytes() + self.stat("inactive_file") + self.stat("active_file") // 2

    def start(self, command, environment=None, **more):
        return subprocess.Popen(self.command(command), text=True, env={**os.environ, **(environment or {})}, **more)


def finish(process):
    with contextlib.suppress(OSError):
        process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()
