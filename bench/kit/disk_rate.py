#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""disk_rate: the bytes that a block device moved over time, by its own counters.

  disk_rate.py sample DEVICE FILE            appends "seconds read_bytes written_bytes" each 50 ms until it is ended
  disk_rate.py rates FILE WINDOW [read|write|both]   "seconds MB/s" of each window of so many seconds, from the first byte moved to the last
  disk_rate.py worst FILE WINDOW [...]       the most MB/s in any window, wherever it begins
  disk_rate.py moved FILE [...]              all MB
  disk_rate.py intervals FILE                "from to MB/s" of each interval between a flush and the disk's next work (see flush_intervals)

MB is 1,000,000 bytes. The sectors of /sys/block have 512 bytes, whatever the device's own sectors are.
"""
import pathlib
import sys
import time

PERIOD_S = 0.05
SECTOR_BYTES = 512
QUIET_S = 0.1  # the samples cannot show a shorter pause
INTERVAL_MIN_S = 1.0  # a rate is a mean over at least one second, as in the paper


def sample(device, target):
    stat = pathlib.Path(f"/sys/block/{pathlib.Path(device).name}/stat")
    due = time.monotonic()
    with open(target, "a", encoding="utf-8", buffering=1) as stream:
        while True:
            fields = stat.read_text().split()
            stream.write(f"{time.monotonic():.4f} {int(fields[2]) * SECTOR_BYTES} {int(fields[6]) * SECTOR_BYTES}\n")
            due += PERIOD_S
            time.sleep(max(due - time.monotonic(), 0))


def lines(path):
    """Returns (seconds, bytes read, bytes written) for each complete line."""
    with open(path, encoding="utf-8") as stream:
        for fields in map(str.split, stream):
            if len(fields) == 3:
                yield float(fields[0]), int(fields[1]), int(fields[2])


def load(path, what):
    """Returns [(seconds from the first byte, bytes since then)], and ends where nothing moved any more."""
    samples = [(at, {"read": read, "write": written, "both": read + written}[what]) for at, read, written in lines(path)]
    first = next((i for i in range(1, len(samples)) if samples[i][1] != samples[0][1]), None)
    if first is None:
        return []
    last = max(i for i in range(1, len(samples)) if samples[i][1] != samples[i - 1][1])
    start_s, start_bytes = samples[first - 1]
    return [(at - start_s, moved - start_bytes) for at, moved in samples[first - 1:last + 1]]


def moved_until(samples, instant):
    """The bytes moved until that moment, interpolated between two samples."""
    before = samples[0]
    for point in samples:
        if point[0] >= instant:
            width = point[0] - before[0]
            return before[1] + (point[1] - before[1]) * ((instant - before[0]) / width if width else 1)
        before = point
    return before[1]


def flush_intervals(samples):
    """(from, to, MB/s) of each interval between a flush and the disk's next work, from "seconds read written".

    A flush begins when the disk writes after it has not written for QUIET_S. The next work begins when the disk moves anything after it has moved nothing
    for QUIET_S. What begins within INTERVAL_MIN_S belongs to the current interval. The last interval has no end, because nothing follows, and is left out."""
    samples = [(at, read + written, written) for at, read, written in samples]
    moving = (i for i in range(1, len(samples)) if samples[i][1] != samples[0][1])
    start = begin = samples[next(moving, 1) - 1]
    last_moved_s = last_written_s = begin[0]
    for before, now in zip(samples, samples[1:]):
        is_moving, is_writing = now[1] > before[1], now[2] > before[2]
        is_new = (is_writing and before[0] - last_written_s >= QUIET_S) or (is_moving and before[0] - last_moved_s >= QUIET_S)
        if is_new and before[0] - begin[0] >= INTERVAL_MIN_S:
            yield begin[0] - start[0], before[0] - start[0], (before[1] - begin[1]) / (before[0] - begin[0]) / 1e6
            begin = before
        last_moved_s = now[0] if is_moving else last_moved_s
        last_written_s = now[0] if is_writing else last_written_s


def main():
    if sys.argv[1:2] == ["intervals"] and len(sys.argv) == 3:
        for begin_s, end_s, rate in flush_intervals(list(lines(sys.argv[2]))):
            print(f"{begin_s:.3f} {end_s:.3f} {rate:.6g}")
        return
    if len(sys.argv) < 4 and sys.argv[1:2] != ["moved"]:
        sys.exit(__doc__)
    task, rest = sys.argv[1], sys.argv[2:]
    if task == "sample":
        sample(rest[0], rest[1])
    window = 0.0 if task == "moved" else float(rest[1])
    what = (rest[1:] if task == "moved" else rest[2:]) or ["both"]
    samples = load(rest[0], what[0])
    if not samples:
        print("0" if task != "rates" else "0 0")
        return
    end_s = samples[-1][0]
    if task == "moved":
        print(f"{samples[-1][1] / 1e6:.6g}")
    elif task == "rates":
        steps = int(end_s / window) + 1
        for step in range(steps):
            moved = moved_until(samples, (step + 1) * window) - moved_until(samples, step * window)
            print(f"{(step + 0.5) * window:.3f} {moved / window / 1e6:.6g}")
    elif task == "worst":
        print(f"{max(moved_until(samples, at + window) - moved for at, moved in samples) / window / 1e6:.6g}")


if __name__ == "__main__":
    main()
