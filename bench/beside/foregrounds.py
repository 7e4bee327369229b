#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""foregrounds: the work of a program that the background must not disturb. As a program it does one of these works and prints the figures as JSON.

  foregrounds.py KIND FOLDER TURN [SECONDS]

long      reads 200 MB in order                                                       long: s
start     reads 150 small files in random order, as the start of a large program does  start: s
fsync     appends 4 KB and waits for the disk, 60 times and a pause after each          fsync-median, fsync-worst: ms
          (the pauses have random lengths: with equal pauses the writes keep step with the platter, and all 60 take one turn more or one less)
metadata  makes, renames and looks at 1,500 folders and files, the disk told at the end   metadata: s
half      reads at random for half a second, then keeps still as long, for SECONDS      busy: share of the time, read: MB
sync      appends 4 KB and waits for the disk, five times a second, for SECONDS      sync: median ms
think     reads one block at random, thinks for about SECONDS, for 5 s                  think: mean ms of a read
nothing   keeps still for SECONDS
"""
import json
import mmap
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import time

LONG_BYTES, BLOCK_BYTES = 200_000_000, 128 * 1024
START_FILES, START_FOLDERS, START_BYTES = 150, 30, 16_000
APPENDS, APPEND_BYTES, PAUSES_S = 60, 4096, (0.03, 0.07)
METADATA_FOLDERS = 1500
HALF_BYTES, HALF_BURST_S = 65536, 0.5
THINK_S = 5.0
SYNC_PAUSES_S = (0.1, 0.3)
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def prepare(disk):
    """Makes the files that all foregrounds use."""
    folder = disk.folder / "foreground"
    folder.mkdir()
    folder.chmod(0o777)
    disk.file("foreground/long", LONG_BYTES)
    for number in range(START_FILES):
        place = folder / f"start/{number % START_FOLDERS:02}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:03}").write_bytes(os.urandom(START_BYTES))


def long(folder, _turn):
    start = time.monotonic()
    file = os.open(folder / "long", os.O_RDONLY)
    while os.read(file, BLOCK_BYTES):
        pass
    return {"long": time.monotonic() - start}


def start(folder, turn):
    numbers = list(range(START_FILES))
    random.Random(turn).shuffle(numbers)
    start_s = time.monotonic()
    for number in numbers:
        file = os.open(folder / f"start/{number % START_FOLDERS:02}/{number:03}", os.O_RDONLY)
        while os.read(file, BLOCK_BYTES):
            pass
        os.close(file)
    return {"start": time.monotonic() - start_s}


def fsync(folder, turn):
    took_ms, block, dice = [], b"x" * APPEND_BYTES, random.Random(turn)
    file = os.open(folder / f"append{turn}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for _ in range(APPENDS):
        start_s = time.monotonic()
        os.write(file, block)
        os.fsync(file)
        took_ms.append(1000 * (time.monotonic() - start_s))
        time.sleep(dice.uniform(*PAUSES_S))
    os.unlink(folder / f"append{turn}")
    return {"fsync-median": statistics.median(took_ms), "fsync-worst": max(took_ms)}


def metadata(folder, turn):
    start_s = time.monotonic()
    place = folder / f"metadata{turn}"
    place.mkdir()
    for number in range(METADATA_FOLDERS):
        (place / f"new{number}").mkdir()
        (place / f"new{number}").rename(place / f"{number}")
        (place / f"{number}/file").touch()
        os.stat(folder / f"start/{number % START_FOLDERS:02}/{number % START_FILES:03}")
    descriptor = os.open(place, os.O_RDONLY)
    os.fsync(descriptor)
    took_s = time.monotonic() - start_s
    shutil.rmtree(place)
    return {"metadata": took_s}


class Random:
    """Reads at random places of the long file, and bypasses the page cache."""

    def __init__(self, folder, turn, size):
        self.file = os.open(folder / "long", os.O_RDONLY | os.O_DIRECT)
        self.dice, self.buffer, self.places = random.Random(turn), mmap.mmap(-1, size), LONG_BYTES // size
        self.size = size

    def read(self):
        """Reads once. Returns the seconds it took."""
        start_s = time.monotonic()
        os.preadv(self.file, [self.buffer], self.dice.randrange(self.places) * self.size)
        return time.monotonic() - start_s


def half(folder, turn, seconds):
    disk, busy_s, reads = Random(folder, turn, HALF_BYTES), 0.0, 0
    start_s = time.monotonic()
    while time.monotonic() - start_s < seconds:
        burst_s = 0.0
        while burst_s < HALF_BURST_S:
            burst_s += disk.read()
            reads += 1
        busy_s += burst_s
        time.sleep(burst_s)
    return {"busy": busy_s / (time.monotonic() - start_s), "read": reads * HALF_BYTES / 1e6}


def sync(folder, turn, seconds):
    took_ms, dice = [], random.Random(turn)
    file = os.open(folder / f"append{turn}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        start_s = time.monotonic()
        os.write(file, bytes(APPEND_BYTES))
        os.fsync(file)
        took_ms.append(1000 * (time.monotonic() - start_s))
        time.sleep(dice.uniform(*SYNC_PAUSES_S))
    os.unlink(folder / f"append{turn}")
    return {"sync": statistics.median(took_ms)}


def think(folder, turn, seconds):
    disk, took_s = Random(folder, turn, APPEND_BYTES), []
    end_s = time.monotonic() + THINK_S
    while time.monotonic() < end_s:
        took_s.append(disk.read())
        time.sleep(disk.dice.expovariate(1 / seconds))
    return {"think": 1000 * statistics.mean(took_s)}


def nothing(_folder, _turn, seconds):
    time.sleep(seconds)
    return {}


def measure(kind, disk, turn, *seconds):
    """The figures of a foreground, which runs in a process of its own. NAME-another is NAME by another user."""
    kind, _, another = kind.partition("-")
    command = [*(NOBODY if another else ()), sys.executable, __file__, kind, disk.folder / "foreground", turn, *seconds]
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    return {f"{figure}-another" if another else figure: value for figure, value in json.loads(done.stdout).items()}


KINDS = {"long": long, "start": start, "fsync": fsync, "metadata": metadata, "half": half, "sync": sync, "think": think, "nothing": nothing}
# The foregrounds that run beside each background, with their figures and what these mean.
FIGURES = {"long": {"long": "200 MB read in order"}, "start": {"start": "a program's start, 150 small cold files"},
           "fsync": {"fsync-median": "4 KB append and fsync, median", "fsync-worst": "the same, worst"},
           "metadata": {"metadata": "1,500 folders and files made and renamed"},
           "start-another": {"start-another": "a program's start by another user"}}


def main():
    kind, folder, turn, *seconds = sys.argv[1:]
    print(json.dumps(KINDS[kind](pathlib.Path(folder), int(turn), *map(float, seconds))))


if __name__ == "__main__":
    main()
