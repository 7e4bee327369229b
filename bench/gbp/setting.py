# SPDX-License-Identifier: MIT
"""setting: what the parts of this benchmark share: how much, how often, the disk, the control group."""
import contextlib
import ctypes
import mmap
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

import time_share

MIB = 1 << 20
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("GRAY_BUILD_DIR", ROOT / "build/release"))
GBP, HDDSIM = BUILD / "bin/gbp", BUILD / "bin/hddsim"
SMOKE = "--smoke" in sys.argv
if SMOKE:
    os.environ["GRAY_BENCH_SMOKE"] = "1"
TURNS = 1 if SMOKE else int(os.environ.get("TURNS", "5"))
CACHE = (32 if SMOKE else int(os.environ.get("CACHE_MIB", "256"))) * MIB
RATIOS = [1.05] if SMOKE else [float(word) for word in os.environ.get("RATIOS", "1.05 1.4 1.9 3.8").split()]
FIXED_SETTLE, GRAY_SETTLE = 1, 3  # passes before those that count


def pass_count(ratio):
    """At 1.05 a few pages decide."""
    return TURNS if ratio > 1.2 else 2 * TURNS - 1


# A pass takes as long as what it reads.
SHARES = time_share.TimeShares(
    {**{f"{part}/{ratio}/fixed": 4 * ratio * (FIXED_SETTLE + pass_count(ratio)) for part in ("scans", "file") for ratio in RATIOS},
     **{f"{part}/{ratio}/gray": 4 * (ratio - 0.9) * (GRAY_SETTLE + pass_count(ratio)) for part in ("scans", "file") for ratio in RATIOS},
     **{f"correlation/{access}": 14 for access in (1, 10, 100)},
     **{f"apps/{what}/{way}": 20 for what in ("grep", "fastsort") for way in ("plain", "inside", "through")}, "match": 30, "layout": 40, "aging": 60,
     "abstain/cold": 40, "abstain/in memory": 40, **{f"speed/{mode}": 13 for mode in ("-mem", "-compose", "-file")}, "truth": 30, "crash": 40})


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


def say(text):
    print(text, flush=True)


def spread(values, form="{:.3f}"):
    return f"{form.format(statistics.median(values))} ({form.format(min(values))} to {form.format(max(values))})"


def quotients(dividends, divisors):
    """Turn by turn."""
    return [a / b for a, b in zip(dividends, divisors)]


def drop_caches():
    """Programs that are compared are in memory all the same: what is asked is what reading the files costs."""
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n")
    for command in ([GBP, "--version"], ["bash", "-c", "grep x; cat; head -1"]):
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)


def hold_programs():
    """Keeps them in memory until this ends: a program that a scan has to read again takes room in the cache, up to the disk's whole read-ahead window."""
    examples = [BUILD / "bin" / name for name in ("gb-grep", "gb-fastsort")]
    programs = [GBP, *filter(pathlib.Path.exists, examples), *filter(None, map(shutil.which, ("bash", "cat", "grep")))]
    listed = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mlock.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    for path in {*map(str, programs), *re.findall(r"(/\S+) \(0x", listed)}:
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            place = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, stream.fileno(), 0)
        if libc.mlock(place, size) != 0:
            say(f"   {path} cannot be held in memory: its pages count as cache where it runs in a group")


class Group:
    """A memory control group with a limit, version 1 or 2."""

    def __init__(self, limit):
        unified = pathlib.Path("/sys/fs/cgroup/cgroup.controllers")
        is_v2 = unified.exists() and "memory" in unified.read_text().split()
        self.path = pathlib.Path("/sys/fs/cgroup" if is_v2 else "/sys/fs/cgroup/memory") / f"gray-gbp-{os.getpid()}"
        try:
            self.path.mkdir(exist_ok=True)
            (self.path / ("memory.max" if is_v2 else "memory.limit_in_bytes")).write_text(f"{limit}\n")
        except OSError as error:
            skip(f"no memory control group can be made here: {error}")

    def run(self, command, **more):
        """Seconds that a shell command takes inside."""
        start = time.monotonic()
        subprocess.run(["bash", "-c", f"echo $$ >{self.path}/cgroup.procs && {command}"], check=False,
                       stdout=subprocess.DEVNULL, **more)
        return time.monotonic() - start

    def read_phase(self, command):
        """Seconds that a sort inside says it spent on reading."""
        made = subprocess.run(["bash", "-c", f"echo $$ >{self.path}/cgroup.procs && {command}"], check=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return float(re.search(r"read_s ([0-9.]+)", made.stderr).group(1))

    def cache_bytes(self):
        """The page cache that counts against the limit."""
        fields = dict(line.split() for line in (self.path / "memory.stat").read_text().splitlines())
        return int(fields["cache" if "cache" in fields else "file"])

    def close(self):
        for _ in range(50):
            with contextlib.suppress(OSError):
                self.path.rmdir()
                return
            time.sleep(0.1)


@contextlib.contextmanager
def disk(size="4G", read_ahead="128K", fs="ext4"):
    """(folder, its block device's statistics file)"""
    name = f"gbp-{os.getpid()}"
    made = subprocess.run([HDDSIM, "up", name, "--profile", os.environ.get("PROFILE", "hdd7200"), "--size", size,
                           "--read-ahead", read_ahead, "--fs", fs], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        skip(f"no emulated disk: {made.stderr.strip()}")
    folder = pathlib.Path(made.stdout.strip())
    try:
        device = os.stat(folder).st_dev
        yield folder, pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")
    finally:
        os.chdir("/")
        subprocess.run([HDDSIM, "down", "--force", name], check=False)


def make_file(path, size, block=os.urandom(MIB)):
    with open(path, "wb") as stream:
        while size > 0:
            size -= stream.write(block[:min(size, MIB)])
