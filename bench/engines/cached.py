# SPDX-License-Identifier: MIT
"""cached: the time that a limit adds to a program whose file is in memory, compared with plain, for each engine."""
import statistics

import readers
import rows as kit
from options import TURNS
from programs import MB, held, run, scratch, timed
from samples import ratios, spread
from setting import SHARES

BYTES = 2000 * MB  # a second or so from memory
ENGINES = {"preload": ("dynamic C", ["--engine", "preload"]), "pace": ("dynamic C", ["--engine", "pace"]), "Go": ("Go, dynamic", [])}


def part():
    with scratch() as folder:
        ways = readers.here(folder)
        path = folder / "warm"
        run("dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={BYTES >> 20}", "conv=fsync")
        times = {name: ([], []) for name, (program, _) in ENGINES.items() if program in ways}
        run("cat", path)
        for _ in SHARES.turns("cached", TURNS):
            for name, (plain, limited) in times.items():
                program, options = ENGINES[name]
                command = [*ways[program], str(path)]
                plain.append(timed(command)[0])
                limited.append(timed(held("--rate", "5MB", *options) + command)[0])
        for name, (plain, limited) in times.items():
            over = ratios(limited, plain)
            print(f"in memory, {name:8} {spread(over)} of plain ({statistics.median(plain):.2f} s)", flush=True)
            kit.row("engines/cached", over, variant=name)
