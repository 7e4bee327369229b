#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""control_groups: groups in which the kernel holds programs to a rate of a disk or to an amount of memory; of version 1 or 2, as this host has them.

  with control_groups.Cap([disk.number], 5_000_000) as group: programs.run(*group.command(command))
  with control_groups.Memory(512 << 20) as group: ...

  control_groups.py cap NAME DEVICE READ WRITE   makes a group of that name and prints its folder; bytes a second, 0: no cap
  control_groups.py memory NAME BYTES            the same with a limit of memory

Where no group can be made: status 77 and the reason.
"""
import contextlib
import itertools
import os
import pathlib
import sys
import time

import programs

CGROUPS = pathlib.Path("/sys/fs/cgroup")
NUMBERS = itertools.count()


def has_blkio():
    """Whether version 1 can set a cap."""
    return (CGROUPS / "blkio/blkio.throttle.read_bps_device").exists()


def is_of_version_2(controller):
    enabled = CGROUPS / "cgroup.subtree_control"
    return enabled.exists() and controller in enabled.read_text().split()


class Group:
    """All processes in the group must have ended when it is closed."""

    CONTROLLERS = ()  # the names of its controller in versions 1 and 2

    def __init__(self, name=None):
        of_1, of_2 = self.CONTROLLERS
        self.is_v2 = is_of_version_2(of_2)
        self.path = (CGROUPS if self.is_v2 else CGROUPS / of_1) / (name or f"gray-{programs.NAME}-{next(NUMBERS)}-{os.getpid()}")
        try:
            self.path.mkdir()
            for file, text in self.settings():
                (self.path / file).write_text(f"{text}\n")
        except OSError as error:
            with contextlib.suppress(OSError):
                self.path.rmdir()
            programs.skip(f"no {of_1} control group can be made here: {error}")

    def settings(self):
        """Returns (file, text) pairs, to be written in this order."""
        raise NotImplementedError

    def command(self, command):
        """The command that runs `command` inside the group."""
        return ["sh", "-c", f'echo $$ >{self.path}/cgroup.procs && exec "$@"', "sh", *map(str, command)]

    def close(self):
        for _ in range(50):
            with contextlib.suppress(OSError):
                self.path.rmdir()
                return
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Cap(Group):
    """A cap on what its members read and write, on each of these disks; 0: no cap. Other tools use it in place of discnice."""

    CONTROLLERS = ("blkio", "io")

    def __init__(self, numbers, read_rate, write_rate=0, name=None):
        self.numbers, self.rates = numbers, {"read": read_rate, "write": write_rate}
        super().__init__(name)

    def settings(self):
        for number, (kind, rate) in itertools.product(self.numbers, self.rates.items()):
            if rate and self.is_v2:
                yield "io.max", f"{number} {kind[0]}bps={rate}"
            elif rate:
                yield f"blkio.throttle.{kind}_bps_device", f"{number} {rate}"


class Memory(Group):
    """A limit on the memory of its members, including their page cache."""

    CONTROLLERS = ("memory", "memory")

    def __init__(self, limit_bytes, has_swap=True, name=None):
        self.limit_bytes, self.has_swap = limit_bytes, has_swap
        super().__init__(name)

    def settings(self):
        yield "memory.max" if self.is_v2 else "memory.limit_in_bytes", self.limit_bytes
        if not self.has_swap:
            yield ("memory.swap.max", 0) if self.is_v2 else ("memory.memsw.limit_in_bytes", self.limit_bytes)

    def move_limit(self, limit_bytes):
        """Returns False when the kernel could not free enough memory: version 1 then leaves the limit unchanged."""
        try:
            (self.path / ("memory.max" if self.is_v2 else "memory.limit_in_bytes")).write_text(f"{limit_bytes}\n")
        except OSError:
            return False
        self.limit_bytes = limit_bytes
        return True

    def text(self, of_1, of_2):
        return (self.path / (of_2 if self.is_v2 else of_1)).read_text()

    def stat(self, of_1, of_2=None):
        """The bytes under this name in the group's account."""
        fields = dict(line.split() for line in (self.path / "memory.stat").read_text().splitlines())
        return int(fields[(of_2 or of_1) if self.is_v2 else f"total_{of_1}"])

    def used_bytes(self):
        return int(self.text("memory.usage_in_bytes", "memory.current"))

    def cache_bytes(self):
        """The page cache that counts against the limit."""
        return self.stat("cache", "file")

    def kills(self):
        events = dict(line.split() for line in self.text("memory.oom_control", "memory.events").splitlines())
        return int(events["oom_kill"])


def main():
    kind, name, *rest = sys.argv[1:]
    if kind == "cap":
        device, *rates = rest
        number = os.stat(device).st_rdev
        made = Cap([f"{os.major(number)}:{os.minor(number)}"], *map(int, rates), name=name)
    else:
        made = Memory(int(rest[0]), name=name)
    print(made.path)


if __name__ == "__main__":
    main()
