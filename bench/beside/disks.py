# SPDX-License-Identifier: MIT
"""disks: the disks that the foreground and the background share: emulated disks, each with a file system of its own, and the machine's own disk."""
import contextlib
import os
import pathlib
import shutil
import tempfile

import emulated_disk
import programs

PROFILES = {"hdd7200": "hdd7200", "card": "sdcard", "cloud": "cloud"}
NAMES = (*PROFILES, "own")
SIZE = "5G"
# The time for which a disk must be idle to return to its usual state. A cloud volume saves up credits for its next burst. On a card the writes of a mount take
# some time.
SETTLE_S = {"cloud": 8.0, "card": 6.0}


class OwnDisk:
    """A folder on the machine's own disk. Other programs use that disk, too. Folders and inodes stay in memory; only the pages of files can be dropped."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("GRAY_SCRATCH", "/var/tmp"), prefix="beside-"))
        number = os.stat(self.folder).st_dev
        self.number = f"{os.major(number)}:{os.minor(number)}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def limit_dirty(self):
        """Does nothing: this disk may not be limited."""

    def set_scheduler(self, _name):
        """Does nothing: this disk's scheduler may not be changed."""

    moved = emulated_disk.Disk.moved
    file = emulated_disk.Disk.file

    def remount(self):
        programs.run("find", self.folder, "-type", "f", "-exec", programs.PAGECACHE, "evict", "{}", "+")


def new(name):
    disk = OwnDisk() if name == "own" else emulated_disk.Disk(profile=PROFILES[name], size=SIZE)
    disk.settle_s = SETTLE_S.get(name, 0.0)
    return disk


@contextlib.contextmanager
def pair(name, is_other_needed, is_dirty_limited):
    """The disk of the foreground and the background, and the disk that the background writes to: the same disk unless another is needed."""
    with contextlib.ExitStack() as ending:
        disk = ending.enter_context(new(name))
        other = ending.enter_context(new(name)) if is_other_needed else disk
        for one in {disk, other} if is_dirty_limited else ():
            one.limit_dirty()
        yield disk, other
