# SPDX-License-Identifier: MIT
"""correlation: how well a probe of one page tells whether the pages around it are cached (figure 1)."""
import os
import random
import statistics
import sys

from options import TURNS
from residency import Residency
import rows as kit
from setting import CACHE, Group, MIB, SHARES, drop_caches, make_file, say


def correlate(pages, unit_pages, rng):
    probes, shares = [], []
    for start in range(0, len(pages), unit_pages):
        unit = pages[start:start + unit_pages]
        probes.append(unit[rng.randrange(len(unit))])
        shares.append(sum(unit) / len(unit))
    return statistics.correlation(probes, shares) if len(set(probes)) > 1 and len(set(shares)) > 1 else float("nan")


READER = """
import os, random, sys
rng, fd = random.Random(int(sys.argv[3])), os.open(sys.argv[1], os.O_RDONLY)
size, unit, left = os.fstat(fd).st_size, int(sys.argv[2]), int(sys.argv[4])
while left > 0:
    at = rng.randrange(0, max(size - unit, 1)) // 4096 * 4096
    for offset in range(at, min(at + unit, size), 1 << 20):
        left -= len(os.pread(fd, min(1 << 20, at + unit - offset), offset))
"""


def correlation(folder):
    size = 2 * CACHE
    say(f"2. figure 1: correlation of one random page with its prediction unit; file {size // MIB} MiB, cache {CACHE // MIB} MiB")
    make_file(folder / "big", size)
    os.sync()
    units = [unit for unit in (1, 2, 5, 10, 20, 50, 100) if unit * MIB * 2 <= size]
    say("   access unit \\ prediction unit MiB " + " ".join(f"{unit:6}" for unit in units))
    for access in [unit for unit in (1, 10, 100) if unit * MIB <= size]:
        turns = {unit: [] for unit in units}
        for turn in SHARES.turns(f"correlation/{access}", TURNS):
            drop_caches()
            with Group(CACHE) as group:
                group.run(f"{sys.executable} -c '{READER}' {folder / 'big'} {access * MIB} {turn} {2 * CACHE}")
                pages = Residency(folder / "big").pages()
            rng = random.Random(turn)
            for unit in units:
                turns[unit] += [correlate(pages, unit * 256, rng) for _ in range(5)]
        medians = [statistics.median([v for v in turns[unit] if v == v] or [float("nan")]) for unit in units]
        say(f"   {access:11} MiB                    " + " ".join(f"{value:6.2f}" for value in medians))
        kit.row("gbp/fig1", [value for value in turns[access] if value == value] or [0], variant=f"access unit {access} MiB")
        kit.curve("figure1", f"access unit {access} MiB", [point for point in zip(units, medians) if point[1] == point[1]],
                  "prediction unit in MiB", "correlation of one page with its unit", "How far a probe speaks for its unit")
    (folder / "big").unlink()
