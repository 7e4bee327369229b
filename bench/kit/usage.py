#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: how much a foreground and a background program used of the host's disk, processors and memory, over time.

  usage.py sample DEVICE FILE [PID]          appends a line every 50 ms until it is ended; PID starts the background program, whose children count, too
  usage.py curve FILE WHAT FROM TO [AT]      "seconds value" of each quarter of a second, in seconds since AT, or since FROM
  usage.py mean FILE WHAT FROM TO            one number
  usage.py most FILE WHAT FROM TO            the highest value of the curve

WHAT: foreground or background (MB/s of the disk), processor (% of all processors, including the work of the emulated disk), memory (MB that programs
hold: neither free, nor cache, nor files in memory). FROM and TO are seconds since the epoch, as of date +%s.%N. The background's reads are the kernel's
account of its processes. The background writes nothing to this disk, so the rest of the device's bytes, including delayed writes, belongs to the
foreground.
"""
import contextlib
import pathlib
import sys
import time

from disk_rate import PERIOD_S, SECTOR_BYTES, moved_until

WINDOW_S = 0.25
MB = 1_000_000


def family(pid):
    """A process and all processes that it has started."""
    yield pid
    with contextlib.suppress(OSError):
        for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield from family(child)


def read_bytes(pid):
    """Returns None when the process has ended."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{pid}/io").read_text().splitlines():
            if line.startswith("read_bytes:"):
                return int(line.split()[1])
    return None


def processor_ticks():
    """Returns (busy, all) in ticks."""
    ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def used_bytes():
    fields = {line.split(":")[0]: int(line.split()[1]) for line in pathlib.Path("/proc/meminfo").read_text().splitlines()}
    return (fields["MemTotal"] - fields["MemAvailable"] - fields["Shmem"]) * 1024


def sample(device, target, pid=None):
    stat, seen = pathlib.Path(f"/sys/block/{pathlib.Path(device).name}/stat"), {}
    with open(target, "a", encoding="utf-8", buffering=1) as stream:
        while True:
            for member in family(pid) if pid else ():
                seen[member] = read_bytes(member) or seen.get(member, 0)
            fields = stat.read_text().split()
            busy, ticks = processor_ticks()
            stream.write(f"{time.time():.4f} {(int(fields[2]) + int(fields[6])) * SECTOR_BYTES} {sum(seen.values())} {busy} {ticks} {used_bytes()}\n")
            time.sleep(PERIOD_S)


class Usage:
    """The samples of a file."""

    def __init__(self, path):
        rows = [[float(word) for word in line.split()] for line in open(path, encoding="utf-8") if line.count(" ") == 5]
        column = lambda index: [(row[0], row[index] - rows[0][index]) for row in rows]  # noqa: E731
        self.device, self.background, self.busy, self.ticks = map(column, (1, 2, 3, 4))
        self.memory = [(row[0], row[5]) for row in rows]

    def mean(self, what, begin, end):
        if what == "memory":
            inside = [used for at, used in self.memory if begin <= at <= end]
            return sum(inside) / len(inside) / MB if inside else moved_until(self.memory, begin) / MB
        if what == "processor":
            return 100 * grown(self.busy, begin, end) / max(grown(self.ticks, begin, end), 1)
        background = grown(self.background, begin, end)
        return (background if what == "background" else grown(self.device, begin, end) - background) / (end - begin) / MB

    def curve(self, what, begin, end):
        steps = max(int((end - begin) / WINDOW_S), 1)
        return [((step + 0.5) * WINDOW_S, self.mean(what, begin + step * WINDOW_S, begin + (step + 1) * WINDOW_S)) for step in range(steps)]


def grown(samples, begin, end):
    return moved_until(samples, end) - moved_until(samples, begin)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    task, *rest = sys.argv[1:]
    if task == "sample":
        sample(*rest)
    path, what, begin, end = rest[0], rest[1], float(rest[2]), float(rest[3])
    usage = Usage(path)
    if task == "mean":
        print(f"{usage.mean(what, begin, end):.6g}")
    elif task == "most":
        print(f"{max(value for _, value in usage.curve(what, begin, end)):.6g}")
    elif task == "curve":
        shift = begin - float(rest[4]) if len(rest) > 4 else 0.0
        for at, value in usage.curve(what, begin, end):
            print(f"{at + shift:.3f} {max(value, 0):.6g}")


if __name__ == "__main__":
    main()
