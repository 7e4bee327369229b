# SPDX-License-Identifier: MIT
"""emulated_disk: a disk of hddsim with a file system on it. Only the benchmark uses it.

  with emulated_disk.Disk(profile="hdd7200") as disk: disk.file("cold", 100_000_000); disk.moved(); disk.remount()
"""
import contextlib
import itertools
import os
import pathlib
import subprocess
import sys
import time

import programs

NUMBERS = itertools.count()
DOWN_S = 30.0


class Disk:
    """The disk is gone when the block ends."""

    def __init__(self, scheduler="none", size="3G", profile="hdd7200"):
        self.name = f"{programs.NAME}-{os.getpid()}-{next(NUMBERS)}"
        self.options = ["--size", size, "--scheduler", scheduler, "--profile", profile]

    def __enter__(self):
        made = subprocess.run([programs.HDDSIM, "up", self.name, *self.options], check=False, capture_output=True, text=True)
        if made.returncode != 0:
            programs.skip(f"no emulated disk here: {made.stderr.strip()}")
        self.folder = pathlib.Path(made.stdout.strip())
        number = os.stat(self.folder).st_dev
        self.number = f"{os.major(number)}:{os.minor(number)}"
        self.device = subprocess.run(["findmnt", "-n", "-o", "SOURCE", self.folder], check=True, capture_output=True, text=True).stdout.strip()
        return self

    def __exit__(self, *_):
        """Tries again for some time, because another mount namespace, or data that is still being written, may keep the disk in use."""
        until = time.monotonic() + DOWN_S
        while programs.run(programs.HDDSIM, "down", "--force", self.name).returncode != 0:
            if time.monotonic() > until:
                print(f"the emulated disk {self.name} is still in use: hddsim down --force {self.name}", file=sys.stderr)
                return
            time.sleep(1)

    def limit_dirty(self):
        """Makes the kernel begin to write back at a fraction of the dirty data that it would keep here, as on a machine with less memory."""
        pathlib.Path(f"/sys/class/bdi/{self.number}/max_ratio").write_text("1\n")

    def set_scheduler(self, name):
        pathlib.Path(f"/sys/dev/block/{self.number}/queue/scheduler").write_text(name)

    def moved(self):
        """The bytes read and written so far."""
        field = pathlib.Path(f"/sys/dev/block/{self.number}/stat").read_text().split()
        return int(field[2]) * 512, int(field[6]) * 512

    def file(self, name, size):
        path = self.folder / name
        block = os.urandom(4 * programs.MB)
        with open(path, "wb") as stream:
            for at in range(0, size, len(block)):
                stream.write(block[: min(len(block), size - at)])
            stream.flush()
            os.fsync(stream.fileno())
        return path

    def remount(self):
        """Drops the file system from memory, with its inodes and folders."""
        subprocess.run(["umount", self.folder], check=True)
        subprocess.run(["mount", self.device, self.folder], check=True)
        if self.is_held_by_others:
            self.drop_by_hand()

    @property
    def is_held_by_others(self):
        """Finds other mount namespaces with a copy of the mount. Because of such a copy the file system would stay in memory during a remount."""
        mine = os.stat("/proc/self/ns/mnt").st_ino
        for namespace in pathlib.Path("/proc").glob("[0-9]*/ns/mnt"):
            with contextlib.suppress(OSError):
                if namespace.stat().st_ino != mine and f" {self.number} " in (namespace.parents[1] / "mountinfo").read_text():
                    return True
        return False

    def drop_by_hand(self):
        programs.run("find", self.folder, "-xdev", "-type", "f", "-exec", programs.PAGECACHE, "evict", "{}", "+")
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("2\n")  # the folders and inodes of all file systems
        programs.run("blockdev", "--flushbufs", self.device)
