# SPDX-License-Identifier: MIT
"""accuracy: compares what gb_alloc grants, beside a competitor that holds and walks a share of the memory, with the memory that is available. Also checks that gb_alloc
grants nothing by time alone where there is no swap, because time tells nothing there."""
import errno
import os
import signal
import statistics
import subprocess
import time

import rows as kit
from options import IS_SMOKE, TURNS
from samples import ratios, spread
from setting import ADMISSION, LIMIT, MARGIN_SHARE, MIB, SHARES, Room, finish


def major_faults(process):
    """The major faults of the process since its start."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        return int(file.read().rpartition(")")[2].split()[9])


def accuracy_turn(share, mode):
    """Returns (the bytes that should be granted, the granted bytes, major faults of both walks, the competitor's major faults meanwhile, kills)."""
    with Room(LIMIT) as room:
        holder = room.start([ADMISSION, "hold", LIMIT // MIB * share // 100], stdout=subprocess.PIPE)
        asker = None
        try:
            assert holder.stdout.readline() == "held\n"
            left = room.left()
            before = major_faults(holder)
            margin = (LIMIT if mode == "full" else left) // MARGIN_SHARE
            asker = room.start([ADMISSION, "alloc", 4096, 1 << 40, 4096, 0], {"GRAY_MAC": mode},
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            answer = asker.stdout.readline().split()
            if not answer:  # the asker was killed: nothing was granted
                return left - margin, 0, 0, 0, room.kills()
            got, faults = int(answer[1]), 0
            time.sleep(0.3)  # the competitor walks all the time: it has fetched its lost pages again
            beside = major_faults(holder) - before
            holder.send_signal(signal.SIGUSR1)
            if got:
                asker.stdin.write("\n")
                asker.stdin.flush()
                faults += int(asker.stdout.readline().split()[1])
            faults += int(holder.stdout.readline().split()[1])
            return left - margin, got, faults, beside, room.kills()
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
    all_faults, beside, kills = [], {mode: [] for mode in modes}, [0] * len(found[modes[0], 0])
    for mode in modes:
        worst = (-1.0, 0, [])
        for share, turns in ((share, turns) for (of, share), turns in found.items() if of == mode):
            due, got, faults, of_competitor, killed = zip(*turns)
            beside[mode] += of_competitor
            kills = [before + now for before, now in zip(kills, killed)]
            off = [100 * (over - 1) for over in ratios(got, due)]
            worst = max(worst, (statistics.median(map(abs, off)), share, [abs(percent) for percent in off]))
            all_faults += faults
            verdict = "" if abs(statistics.median(off)) <= 5 and statistics.median(faults) == 0 else "  <- over"
            print(f"   {mode} {share:4d} {statistics.median(due) / MIB:14.1f} {statistics.median(got) / MIB:22.1f}    {spread(off, '{:.1f}')}   "
                  f"{spread(faults, '{:.0f}')}{verdict}", flush=True)
        kit.row(f"mac/accuracy/{mode}", worst[2], note=f"the turns beside a competitor of {worst[1]} %, whose median is the worst")
        kit.row(f"mac/competitor-faults/{mode}", beside[mode])
    kit.row("mac/accuracy-faults", all_faults)
    kit.row("mac/accuracy-kills", kills, note=f"each turn of {len(all_faults) // len(kills)} askers and as many competitors")


def blind():
    """Runs before the swap file is made."""
    SHARES.take("blind")
    print("0. gb_alloc by time alone without swap: it has to say that it cannot know")
    kills, wrong, shares = [], 0, (0, 50)
    for _ in range(TURNS):
        kills.append(0)
        for share in shares:
            with Room(LIMIT) as room:
                holder = room.start([ADMISSION, "hold", LIMIT // MIB * share // 100], stdout=subprocess.PIPE)
                assert holder.stdout.readline() == "held\n"
                asker = room.start([ADMISSION, "alloc", 4096, 1 << 40, 4096, 0], {"GRAY_MAC": "time"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                answer = asker.stdout.readline().split()
                wrong += answer[-1:] != [str(errno.ENODATA)]
                kills[-1] += room.kills()
                finish(asker)
                finish(holder)
    kit.row("mac/blind-kills", kills, note=f"each turn of {len(shares)} askers and as many competitors; {wrong} answers of all were not ENODATA")
