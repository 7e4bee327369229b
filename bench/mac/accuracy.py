# SPDX-License-Identifier: MIT
"""accuracy: what gb_alloc grants beside a competitor that holds and walks a share of the memory, against what is there."""
import os
import signal
import statistics
import subprocess
import time

import rows as kit
from options import IS_SMOKE, TURNS
from samples import ratios, spread
from setting import ADMISSION, LIMIT, MARGIN_SHARE, MIB, SHARES, Room, finish


def accuracy_turn(share, mode):
    """(what should be granted, what was, major faults of both walks)"""
    with Room(LIMIT) as room:
        holder = room.start([ADMISSION, "hold", LIMIT // MIB * share // 100], stdout=subprocess.PIPE)
        asker = None
        try:
            assert holder.stdout.readline() == "held\n"
            left = room.left()
            margin = (LIMIT if mode == "full" else left) // MARGIN_SHARE
            asker = room.start([ADMISSION, "alloc", 4096, 1 << 40, 4096, 0], {"GRAY_MAC": mode},
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            answer = asker.stdout.readline().split()
            if not answer:  # it was killed: nothing was granted
                return left - margin, 0, 0
            got, faults = int(answer[1]), 0
            time.sleep(0.3)  # the competitor walks on all the time: what it lost it has again
            holder.send_signal(signal.SIGUSR1)
            if got:
                asker.stdin.write("\n")
                asker.stdin.flush()
                faults += int(asker.stdout.readline().split()[1])
            faults += int(holder.stdout.readline().split()[1])
            return left - margin, got, faults
        finally:
            for process in (holder, asker):
                if process:
                    finish(process)


def accuracy():
    print(f"1. gb_alloc beside a competitor that holds and walks x % of {LIMIT // MIB} MiB (swap file)")
    print("   mode     x   left less margin MiB       granted MiB     difference %   major faults of both walks")
    modes = os.environ.get("MODES", "full time").split()
    found = {(mode, share): [] for mode in modes for share in range(0, 100, 50 if IS_SMOKE else 10)}
    for _ in SHARES.turns("accuracy", TURNS, 2):
        for (mode, share), turns in found.items():
            turns.append(accuracy_turn(share, mode))
    all_faults = []
    for mode in modes:
        worst = (-1.0, 0)
        for share, turns in ((share, turns) for (of, share), turns in found.items() if of == mode):
            due, got, faults = zip(*turns)
            off = [100 * (over - 1) for over in ratios(got, due)]
            worst = max(worst, (abs(statistics.median(off)), share))
            all_faults += faults
            verdict = "" if abs(statistics.median(off)) <= 5 and statistics.median(faults) == 0 else "  <- over"
            print(f"   {mode} {share:4d} {statistics.median(due) / MIB:14.1f} {statistics.median(got) / MIB:22.1f}    {spread(off, '{:.1f}')}   "
                  f"{spread(faults, '{:.0f}')}{verdict}", flush=True)
        kit.row(f"mac/accuracy/{mode}", [worst[0]], note=f"beside a competitor of {worst[1]} %; medians of {len(turns)} turns at each share")
    kit.row("mac/accuracy-faults", all_faults)
