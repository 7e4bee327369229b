# SPDX-License-Identifier: MIT
"""scans: scans a set again and again: a set of many files, and a set in one file."""
import os

from passes import passes
import rows as kit
from samples import ratios, spread
from setting import CACHE, FIXED_SETTLE, GBP, GRAY_SETTLE, Group, MIB, RATIOS, make_file, new_disk, pass_count, say


def compare_scans(part, disk, size_bytes, ratio, fixed, gray):
    """Returns (share of the set that each pass of gbp reads, seconds of the fixed passes over gbp's seconds)."""
    with Group(CACHE) as group:
        os.chdir(disk.folder)
        fixed_turns = passes(f"{part}/{ratio}/fixed", group, fixed, disk, FIXED_SETTLE, count=pass_count(ratio))
        gray_turns = passes(f"{part}/{ratio}/gray", group, gray, disk, GRAY_SETTLE, count=pass_count(ratio))
    share = [read / size_bytes for _, read in gray_turns]
    say(f"   {ratio:4.2f}  bound {max(0, 1 - 1 / ratio):.2f}  fixed {spread([read / size_bytes for _, read in fixed_turns])}  gbp {spread(share)}")
    fixed_s, gray_s = [took for took, _ in fixed_turns], [took for took, _ in gray_turns]
    say(f"         wall: fixed {spread(fixed_s, '{:.2f}')} s, gbp {spread(gray_s, '{:.2f}')} s")
    return share, ratios(fixed_s, gray_s)


def row_of_ratio(name, samples):
    """Writes a row if the goals have one: RATIOS may name other ratios."""
    if name in kit.goals():
        kit.row(name, samples)


def scans():
    say(f"1. repeated scans of many 1 MiB files, cache {CACHE // MIB} MiB: share of the set read from disk a pass")
    for ratio in RATIOS:
        with new_disk() as disk:
            count = round(CACHE / MIB * ratio)
            for i in range(count):
                make_file(disk.folder / f"f{i:04}", MIB)
            share, gains = compare_scans("scans", disk, count * MIB, ratio, "grep -a -c -F needle-that-is-not f*",
                                         f"grep -a -c -F needle-that-is-not $({GBP} -mem f*)")
        row_of_ratio(f"gbp/rescan/{ratio}", share)
        row_of_ratio(f"gbp/rescan-time/{ratio}", gains)


def one_file():
    say(f"1b. and 2. (figure 2) the same of one file, through gbp -mem -out, cache {CACHE // MIB} MiB")
    for ratio in RATIOS:
        with new_disk() as disk:
            size_bytes = round(CACHE / MIB * ratio) * MIB
            make_file(disk.folder / "big", size_bytes)
            share, gains = compare_scans("file", disk, size_bytes, ratio, "cat big | grep -a -c -F needle-that-is-not",
                                         f"{GBP} -mem -out big | grep -a -c -F needle-that-is-not")
        row_of_ratio(f"gbp/one-file/{ratio}", share)
        kit.row("gbp/fig2", gains, variant=f"{ratio} times the cache")
