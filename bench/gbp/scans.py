# SPDX-License-Identifier: MIT
"""scans: a set scanned again and again, of many files and of one."""
import os

from passes import passes
import rows as kit
from setting import CACHE, FIXED_SETTLE, GBP, GRAY_SETTLE, Group, MIB, RATIOS, disk, make_file, pass_count, quotients, say, spread


def compare_scans(part, stat, size, ratio, fixed, gray, folder):
    """(share of the set read by each pass of gbp's, seconds of the fixed passes over those)"""
    group = Group(CACHE)
    try:
        os.chdir(folder)
        fixed_turns = passes(f"{part}/{ratio}/fixed", group, fixed, stat, FIXED_SETTLE, count=pass_count(ratio))
        gray_turns = passes(f"{part}/{ratio}/gray", group, gray, stat, GRAY_SETTLE, count=pass_count(ratio))
    finally:
        group.close()
    share = [read / size for _, read in gray_turns]
    say(f"   {ratio:4.2f}  bound {max(0, 1 - 1 / ratio):.2f}  fixed {spread([read / size for _, read in fixed_turns])}  gbp {spread(share)}")
    fixed_s, gray_s = [took for took, _ in fixed_turns], [took for took, _ in gray_turns]
    say(f"         wall: fixed {spread(fixed_s, '{:.2f}')} s, gbp {spread(gray_s, '{:.2f}')} s")
    return share, quotients(fixed_s, gray_s)


def row_of_ratio(name, samples):
    """RATIOS may name others than those with a row."""
    if name in kit.goals():
        kit.row(name, samples)


def scans():
    say(f"1. repeated scans of many 1 MiB files, cache {CACHE // MIB} MiB: share of the set read from disk a pass")
    for ratio in RATIOS:
        with disk() as (folder, stat):
            count = round(CACHE / MIB * ratio)
            for i in range(count):
                make_file(folder / f"f{i:04}", MIB)
            share, gains = compare_scans("scans", stat, count * MIB, ratio, "grep -a -c -F needle-that-is-not f*",
                                         f"grep -a -c -F needle-that-is-not $({GBP} -mem f*)", folder)
        row_of_ratio(f"gbp/rescan/{ratio}", share)
        row_of_ratio(f"gbp/rescan-time/{ratio}", gains)


def one_file():
    say(f"1b. and 2. (figure 2) the same of one file, through gbp -mem -out, cache {CACHE // MIB} MiB")
    for ratio in RATIOS:
        with disk() as (folder, stat):
            size = round(CACHE / MIB * ratio) * MIB
            make_file(folder / "big", size)
            share, gains = compare_scans("file", stat, size, ratio, "cat big | grep -a -c -F needle-that-is-not",
                                         f"{GBP} -mem -out big | grep -a -c -F needle-that-is-not", folder)
        row_of_ratio(f"gbp/one-file/{ratio}", share)
        kit.row("gbp/fig2", gains, variant=f"{ratio} times the cache")
