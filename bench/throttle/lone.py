# SPDX-License-Identifier: MIT
"""lone: the job's own speed while no other program uses the disk."""
import statistics

import rows as kit
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import MB, evict, held, timed
from samples import spread
from setting import COPY, SHARES


def part():
    with Disk() as disk:
        source = disk.file("source", 100 * MB if IS_SMOKE else 400 * MB)
        times = {"plain": [], "nice": [], "idle": []}
        for _ in SHARES.turns("lone", TURNS):
            for name, figures in times.items():
                evict(source)
                prefix = [] if name == "plain" else held("--policy", name)
                figures.append(timed(prefix + ["rsync", str(source), str(COPY)])[0])
                COPY.unlink(missing_ok=True)
        plain = statistics.median(times["plain"])
        for name in ("nice", "idle"):
            print(f"a job alone under {name}: {spread([plain / figure for figure in times[name]])} of its speed without discnice")
            kit.row(f"throttle/lone-speed/{name}", [100 * plain / figure for figure in times[name]])
