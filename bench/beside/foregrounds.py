#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""foregrounds: what somebody does who is not to feel the background. As a program it does one of them and prints its figures as JSON.

  foregrounds.py KIND FOLDER TURN

long      reads 200 MB in order                                                       long: s
start     reads 150 small files in random order, as the start of a large program does  start: s
fsync     appends 4 KB and waits for the disk, 60 times and a pause after each          fsync-median, fsync-worst: ms
metadata  makes, renames and looks at 300 folders and files, the disk told at the end   metadata: s
"""
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

LONG_BYTES, BLOCK_BYTES = 200_000_000, 128 * 1024
START_FILES, START_FOLDERS, START_BYTES = 150, 30, 16_000
APPENDS, APPEND_BYTES, PAUSE_S = 60, 4096, 0.05
METADATA_FOLDERS = 300


def prepare(disk):
    """The files that all of them use."""
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
    took_ms, block = [], b"x" * APPEND_BYTES
    file = os.open(folder / f"append{turn}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for _ in range(APPENDS):
        start_s = time.monotonic()
        os.write(file, block)
        os.fsync(file)
        took_ms.append(1000 * (time.monotonic() - start_s))
        time.sleep(PAUSE_S)
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
    return {"metadata": time.monotonic() - start_s}


KINDS = {"long": long, "start": start, "fsync": fsync, "metadata": metadata}
FIGURES = {"long": ("long",), "start": ("start",), "fsync": ("fsync-median", "fsync-worst"), "metadata": ("metadata",)}


def measure(kind, disk, turn, as_user=()):
    """Its figures, from a process of its own; as_user is a command that becomes somebody else first."""
    done = subprocess.run([*as_user, sys.executable, __file__, kind, disk.folder / "foreground", str(turn)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    kind, folder, turn = sys.argv[1:]
    print(json.dumps(KINDS[kind](pathlib.Path(folder), int(turn))))


if __name__ == "__main__":
    main()
