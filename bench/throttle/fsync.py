# SPDX-License-Identifier: MIT
"""fsync: how long a small fsync takes while other programs write as much as they can."""
import contextlib
import statistics
import subprocess
import sys
import time

import rows as kit
from emulated_disk import Disk
from options import IS_SMOKE
from programs import held, run
from samples import ratios, spread
from session import Session
from setting import SHARES

PROBE = """
import os, sys, time
path, seconds = sys.argv[1], float(sys.argv[2])
end, data = time.monotonic() + seconds, b'x' * 30000
while time.monotonic() < end:
    start = time.monotonic()
    with open(path, 'wb') as stream:
        stream.write(data); stream.flush(); os.fsync(stream.fileno())
    print((time.monotonic() - start) * 1000, flush=True)
    time.sleep(0.1)
"""
WRITER = """
import os, sys
stream, block = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT), b'y' * 65536
while True:
    os.lseek(stream, 0, os.SEEK_SET)
    for _ in range(200_000_000 // len(block)): os.write(stream, block)
"""


def probe(disk, prefix, seconds):
    with contextlib.ExitStack() as writers:
        for i in range(2) if prefix is not None else ():
            writers.enter_context(Session([*prefix, sys.executable, "-c", WRITER, disk.folder / f"hog{i}"]))
        time.sleep(1)
        out = subprocess.run([sys.executable, "-c", PROBE, disk.folder / "probe", str(seconds)], check=True, capture_output=True, text=True).stdout
    run("sync", "-f", disk.folder)
    return [float(line) for line in out.split()]


def part():
    seconds = 3 if IS_SMOKE else 12
    ways = {"nobody": None, "two writers": [], "under nice": held(), "smooth alone": held("--policy", "unlimited", "--smooth-writes", "on"),
            "at 10MB/s each": held("--rate", "10MB"), "at 10MB/s, not smooth": held("--rate", "10MB", "--smooth-writes", "off")}
    judged = ("two writers", "at 10MB/s each")
    found = {name: [] for name in ways if not IS_SMOKE or name in ("nobody", "under nice")}
    with Disk() as disk:
        disk.limit_dirty()
        for turn in SHARES.turns("fsync", 3):
            for name, times in found.items():
                if turn == 0 or name in judged:
                    times.append(probe(disk, ways[name], seconds))
    for name, times in found.items():
        print(f"30 KB write+fsync beside {name:22} median {spread(map(statistics.median, times), '{:.1f}')} ms, worst {spread(map(max, times), '{:.1f}')} ms")
    if IS_SMOKE:
        return
    free, held_back = (found[name] for name in judged)
    note = f"{spread(map(max, free), '{:.0f}')} ms to {spread(map(max, held_back), '{:.0f}')} ms"
    kit.row("throttle/fsync-worst", ratios(map(max, free), map(max, held_back)), note=note)
    kit.row("throttle/fsync-median", ratios(map(statistics.median, held_back), map(statistics.median, free)))
