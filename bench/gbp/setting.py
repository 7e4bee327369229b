# SPDX-License-Identifier: MIT
"""setting: what the parts of this benchmark share: sizes, turns, the disk, the control group."""
import contextlib
import ctypes
import mmap
import os
import pathlib
import re
import shutil
import subprocess
import time

import time_share
from control_groups import Memory
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import BUILD

MIB = 1 << 20
GBP = BUILD / "bin/gbp"
CACHE = (32 if IS_SMOKE else int(os.environ.get("CACHE_MIB", "256"))) * MIB
RATIOS = [1.05] if IS_SMOKE else [float(word) for word in os.environ.get("RATIOS", "1.05 1.4 1.9 3.8").split()]
FIXED_SETTLE, GRAY_SETTLE = 1, 3  # passes before those that count


def pass_count(ratio):
    """At 1.05 a few pages decide, so more passes are made."""
    return TURNS if ratio > 1.2 else 2 * TURNS - 1


# A pass takes as long as the bytes that it reads.
SHARES = time_share.TimeShares(
    {**{f"{part}/{ratio}/fixed": 4 * ratio * (FIXED_SETTLE + pass_count(ratio)) for part in ("scans", "file") for ratio in RATIOS},
     **{f"{part}/{ratio}/gray": 4 * (ratio - 0.9) * (GRAY_SETTLE + pass_count(ratio)) for part in ("scans", "file") for ratio in RATIOS},
     **{f"correlation/{access}": 14 for access in (1, 10, 100)},
     **{f"apps/{what}/{way}": 20 for what in ("grep", "fastsort") for way in ("plain", "inside", "through")}, "match": 30, "layout": 40, "aging": 150,
     "abstain/cold": 40, "abstain/in memory": 40, **{f"speed/{mode}": 13 for mode in ("-mem", "-compose", "-file")}, **{f"million/{mode}": 0 for mode in ("-mem", "-compose", "-file")}, "truth": 30, "levels": 150, "levels/two": 10,
     **{f"levels/{store}": 10 for store in ("flash", "disk")}, "levels/server": 200, "crash": 40})


def say(text):
    print(text, flush=True)


def drop_caches():
    """Empties the page cache, and reads the compared programs in again: only reading the files is measured."""
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n")
    for command in ([GBP, "--version"], ["bash", "-c", "grep x; cat; head -1"]):
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)


def hold_programs():
    """Keeps the programs in memory until this process ends. A program that a scan has to read again takes room in the cache, up to the disk's whole read-ahead window."""
    others = [BUILD / "bin" / name for name in ("gb-grep", "gb-fastsort")]
    held = [GBP, *filter(pathlib.Path.exists, others), *filter(None, map(shutil.which, ("bash", "cat", "grep")))]
    listed = subprocess.run(["ldd", *held], capture_output=True, text=True, check=False).stdout
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mlock.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    for path in {*map(str, held), *re.findall(r"(/\S+) \(0x", listed)}:
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            place = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, stream.fileno(), 0)
        if libc.mlock(place, size) != 0:
            say(f"   {path} cannot be held in memory: its pages count as cache where it runs in a group")


class Group(Memory):
    """Runs shell commands in a cache of known size."""

    def run(self, command, **more):
        """Returns the seconds that a shell command takes inside."""
        start = time.monotonic()
        subprocess.run(["bash", "-c", f"echo $$ >{self.path}/cgroup.procs && {command}"], check=False,
                       stdout=subprocess.DEVNULL, **more)
        return time.monotonic() - start

    def read_phase(self, command):
        """Returns the seconds that a sort inside spends on reading, by its own report."""
        made = subprocess.run(["bash", "-c", f"echo $$ >{self.path}/cgroup.procs && {command}"], check=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return float(re.search(r"read_s ([0-9.]+)", made.stderr).group(1))


@contextlib.contextmanager
def new_disk():
    """Yields the disk. Parts work in its folder, and leave the folder before the disk is removed."""
    with Disk(size="4G", profile=os.environ.get("PROFILE", "hdd7200")) as disk:
        try:
            yield disk
        finally:
            os.chdir("/")


def make_file(path, size, block=os.urandom(MIB)):
    with open(path, "wb") as stream:
        while size > 0:
            size -= stream.write(block[:min(size, MIB)])
