# SPDX-License-Identifier: MIT
"""cost: the time of gb_alloc for available memory, compared with touching the same amount once, and how the time grows with the size."""
import contextlib
import os
import pathlib
import re
import statistics
import subprocess

import rows as kit
from options import IS_SMOKE, TURNS
from samples import ratios, spread
from setting import ADMISSION, MIB, SHARES, finish

SIZES_GIB = [0.25] if IS_SMOKE else [float(size) for size in os.environ.get("GIB", "1 2 4 8").split()]
SMALL_REPEATS = 3


def words(command):
    return subprocess.run(list(map(str, command)), input="", text=True, capture_output=True, check=True).stdout.split()


@contextlib.contextmanager
def fed(size):
    """A feeder process gives back as much memory as is being taken, always a little ahead: so the host has the taken pages at hand. Memory that is free for longer may
    have to be found again by the host, which made each byte of 8 GiB cost twice as much as a byte of 1 GiB, whichever program touched it."""
    feeder = subprocess.Popen([ADMISSION, "feed", str(size // MIB + 384)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert feeder.stdout.readline() == "feeding\n"
        yield
    finally:
        finish(feeder)


def cost_turn(gib, order):
    """The milliseconds of touching this amount once, and of gb_alloc for it; `order` says which comes first."""
    size = int(gib * (1 << 30))
    took = {}
    for what in order:
        with fed(size):
            told = words([ADMISSION, "touch", size // MIB] if what == "touch" else [ADMISSION, "alloc", size, size, 4096, 0])
        took[what] = float(told[1 if what == "touch" else 2])
    return took["touch"], took["alloc"]


def cost_of(gib, turn):
    """Runs cost_turn() with each of the two first, by turns, because the host may favour one place. Sizes that take less than a second are measured several times, and the medians
    are taken: a slow moment of the host would spoil a whole turn."""
    orders = [("touch", "alloc"), ("alloc", "touch")]
    repeats = SMALL_REPEATS if gib <= 1 and not IS_SMOKE else 1
    pairs = [cost_turn(gib, orders[(turn + again) % 2]) for again in range(repeats)]
    return tuple(statistics.median(took) for took in zip(*pairs))


def growth(turns, least, most):
    """Returns the time a byte for the largest size over that for the smallest size, turn by turn, as (touching, gb_alloc)."""
    return [tuple((large / most) / (small / least) for small, large in zip(*pair)) for pair in zip(turns[least], turns[most])]


def cost():
    print("3. gb_alloc of memory that is there, against touching as much once; and its growth")
    available = int(re.search(r"MemAvailable: *(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1)) * 1024
    sizes = [gib for gib in SIZES_GIB if gib * (1 << 30) <= available * 2 // 5]  # a feeder and an asker must fit
    for gib in set(SIZES_GIB) - set(sizes):
        print(f"   {gib:g} GiB: left out, less than two and a half times that is available")
    turns = {gib: [] for gib in sizes}
    for turn in SHARES.turns("cost", TURNS, 2):
        for gib in sizes:
            if gib in (sizes[0], sizes[-1]):
                turns[gib].append(cost_of(gib, turn))
    for gib in sizes[1:-1]:  # sizes in between show that the cost grows linearly, and have no row
        turns[gib] = [cost_of(gib, turn) for turn in SHARES.turns("cost/between", 1, 0)]
    for gib, pairs in ((gib, pairs) for gib, pairs in turns.items() if pairs):
        touched, granted = zip(*pairs)
        over = ratios(granted, touched)
        if gib == 1 or IS_SMOKE:
            kit.row("mac/cost", over)
        print(f"   {gib:g} GiB: touch {spread(touched, '{:.1f}')} ms, gb_alloc {spread(granted, '{:.1f}')} ms, "
              f"median of ratios {spread(over, '{:.3f}')}", flush=True)
    if 1 in turns and 8 in turns:
        grown = growth(turns, 1, 8)
        kit.row("mac/growth", [alloc for _, alloc in grown], note=f"touching alone grows {spread([touch for touch, _ in grown], '{:.2f}')} in the same turns")
        kit.row("mac/growth-beyond", [alloc / touch for touch, alloc in grown])
