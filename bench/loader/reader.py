#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""reader: reads a folder of samples, epoch after epoch, in the order of a sampler. script/bench loader starts it in a control group.

Usage: reader.py shuffled|fetched|cached-first files|mapped FOLDER EPOCHS WINDOW SEED
files: each file of the folder is a sample. mapped: the folder holds one file of records of RECORD bytes, which is mapped into memory, as numpy.memmap does.
Prints a line of JSON for each epoch: the bytes that the kernel read from disk for this process, the seconds, the seconds for the order alone, and the order.
"""
import array
import json
import mmap
import os
import pathlib
import random
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bindings/python"), str(ROOT / "examples/python")]
import cached_first  # noqa: E402

RECORD = 16 << 10


class ShuffledSampler:
    """The usual sampler: each epoch has a new random order. With `is_fetched` each sample is fetched shortly before its turn, as the cached-first sampler does."""

    def __init__(self, samples, seed, is_fetched):
        self.samples, self.random, self.is_fetched = samples, random.Random(seed), is_fetched

    def __iter__(self):
        order = array.array("L", range(len(self.samples)))
        self.random.shuffle(order)
        return cached_first.fetched_ahead(self.samples, order) if self.is_fetched else iter(order)


def disk_bytes():
    """The bytes that the kernel has read from disk for this process."""
    with open("/proc/self/io", encoding="ascii") as stream:
        return int(stream.read().partition("\nread_bytes: ")[2].split("\n")[0])


class Files:
    def __init__(self, paths):
        self.samples, self.buffer = paths, bytearray(1 << 20)

    def read(self, index):
        with open(self.samples[index], "rb", buffering=0) as stream:
            while stream.readinto(self.buffer):
                pass


class Mapped:
    def __init__(self, paths):
        with open(paths[0], "rb") as stream:
            self.map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        self.samples = [(paths[0], start, RECORD) for start in range(0, len(self.map), RECORD)]

    def read(self, index):
        _, start, length = self.samples[index]
        return self.map[start:start + length]


def main():
    kind, layout, folder, epochs, window, seed = sys.argv[1:]
    paths = sorted(entry.path for entry in os.scandir(folder) if entry.is_file())
    data = Files(paths) if layout == "files" else Mapped(paths)
    sampler = (cached_first.CachedFirstSampler(data.samples, window=int(window), seed=int(seed)) if kind == "cached-first"
               else ShuffledSampler(data.samples, int(seed), kind == "fetched"))
    for _ in range(int(epochs)):
        order, before, start, reading_s = array.array("L"), disk_bytes(), time.monotonic(), 0.0
        for index in sampler:
            begin = time.monotonic()
            data.read(index)
            reading_s += time.monotonic() - begin
            order.append(index)
        took_s = time.monotonic() - start
        print(json.dumps({"disk_bytes": disk_bytes() - before, "seconds": took_s, "deciding_seconds": took_s - reading_s, "order": order.tolist()}), flush=True)


if __name__ == "__main__":
    main()
