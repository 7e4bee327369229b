# SPDX-License-Identifier: MIT
"""blkio_cap: a cap the kernel holds, by a blkio control group of version 1: what others use in the place of discnice."""
import os
import pathlib
import time

import programs

BLKIO = pathlib.Path("/sys/fs/cgroup/blkio")


def has_blkio():
    return (BLKIO / "blkio.throttle.read_bps_device").exists()


class Group:
    """A control group with a cap on what its members read, and write if asked, on each of these disks. Close it when they have ended."""

    def __init__(self, disks, rate, kinds=("read",)):
        self.path = BLKIO / f"{programs.NAME}-{os.getpid()}"
        self.path.mkdir(exist_ok=True)
        for kind in kinds:
            for disk in disks:
                (self.path / f"blkio.throttle.{kind}_bps_device").write_text(f"{disk.number} {rate}\n")

    def command(self, command):
        return ["sh", "-c", f'echo $$ >{self.path}/cgroup.procs && exec "$@"', "sh", *map(str, command)]

    def close(self):
        for _ in range(50):
            try:
                self.path.rmdir()
                return
            except OSError:
                time.sleep(0.1)
