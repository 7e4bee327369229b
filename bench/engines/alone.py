# SPDX-License-Identifier: MIT
"""alone: a program's speed under discnice while no other program uses the disk, compared with plain."""
import statistics

import readers
import rows as kit
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import MB, evict, held, scratch, timed
from samples import spread
from setting import SHARES

PROGRAMS = ("dynamic C", "static C", "Go, dynamic", "Java", "page faults")
POLICIES = ("nice", "idle")
BYTES = (20 if IS_SMOKE else 200) * MB


def part():
    with scratch() as folder, Disk() as disk:
        folder.chmod(0o755)
        ways = readers.here(folder)
        path = disk.file("cold", BYTES)
        path.chmod(0o644)
        names = [name for name in PROGRAMS if name in ways]
        took = {(name, policy): [] for name in names for policy in ("plain", *POLICIES)}
        for _ in SHARES.turns("alone", TURNS):
            for (name, policy), times in took.items():
                evict(path)
                prefix = [] if policy == "plain" else held("--policy", policy)
                times.append(timed([*prefix, *ways[name], str(path)])[0])
        for name in names:
            for policy in POLICIES:
                speeds = [100 * plain / way for plain, way in zip(took[name, "plain"], took[name, policy])]
                print(f"alone, {name:12} {policy}: {spread(speeds, '{:.0f}')} % of plain ({statistics.median(took[name, 'plain']):.2f} s)", flush=True)
                kit.row(f"engines/alone/{policy}", speeds, variant=name)
