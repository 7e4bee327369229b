# SPDX-License-Identifier: MIT
"""account: the bytes that the kernel has charged to a process, over time.

  with account.Sampler(pid, ...) as found: ...
  with account.TreeSampler(pid) as found: ...        the process and all processes below it, also new ones
  found.worst_second(), found.rate_from(2.0)
"""
import contextlib
import pathlib

import sampler


def booked(pid):
    """The bytes read and dirtied, less those that were removed before they were written; None when the process is gone."""
    try:
        fields = dict(line.split(": ") for line in pathlib.Path(f"/proc/{pid}/io").read_text().splitlines())
    except OSError:
        return None
    return int(fields["read_bytes"]) + int(fields["write_bytes"]) - int(fields["cancelled_write_bytes"])


def tree_of(pid):
    """The process and all processes that are below it now."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):  # the process has just ended
            for task in pathlib.Path(f"/proc/{one}/task").glob("*/children"):
                found += map(int, task.read_text().split())
    return found


def booked_to_tree(pid):
    """Looks again when the tree has changed meanwhile: after a process was waited for, the sum would be too large or too small."""
    while True:
        pids = tree_of(pid)
        moved = booked_to(pids)
        if tree_of(pid) == pids:
            return moved


def booked_to(pids):
    """The sum over the processes that exist; None when none exists."""
    sums = [moved for moved in map(booked, pids) if moved is not None]
    return sum(sums) if sums else None


class Sampler(sampler.Sampler):
    """Samples until all the processes or the block end. What discnice itself moves for a program is in discnice's own account, so discnice is one of the processes then."""

    def __init__(self, *pids):
        super().__init__(lambda: booked_to(pids))

    def moving(self):
        """The samples from the first byte to the last."""
        first = next((i for i, sample in enumerate(self.samples) if sample[1] != self.samples[0][1]), len(self.samples) - 1)
        last = max((i for i in range(1, len(self.samples)) if self.samples[i][1] != self.samples[i - 1][1]), default=first)
        return self.samples[max(first - 1, 0):last + 1]

    def rate_from(self, lead_s, most_s=10.0):
        """The bytes a second from `lead_s` after the first byte on, for at most `most_s`."""
        moving = self.moving()
        inside = [sample for sample in moving if lead_s <= sample[0] - moving[0][0] <= lead_s + most_s]
        return (inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0])


class TreeSampler(Sampler):
    """Samples until no process is left or the block ends. A process that has ended and was waited for is in its parent's account."""

    def __init__(self, pid):
        super().__init__()
        self.look = lambda: booked_to_tree(pid)
