# SPDX-License-Identifier: MIT
"""hog: gb_alloc probes while another process, which does not use gb_alloc, grows."""
import subprocess

import rows as kit
from options import IS_SMOKE, TURNS
from samples import spread
from setting import ADMISSION, LIMIT, MIB, SHARES, Room, finish


def hog_turn(swap, size, rate):
    """Returns (MiB granted, major faults of the hog or -1 if it died, kills)."""
    with Room(LIMIT, swap) as room:
        hogging = room.start([ADMISSION, "grow", size, rate], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        asker = room.start([ADMISSION, "alloc", 4096, 1 << 40, 4096, 0], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        answer = asker.stdout.readline().split()
        told = hogging.stdout.readline().split()
        kills = room.kills()
        finish(asker)
        finish(hogging)
        return int(answer[1]) / MIB if answer else 0, int(told[1]) if told else -1, kills


def hog():
    SHARES.take("hog")
    print(f"5. a hog that does not take part grows in {LIMIT // MIB} MiB, and is done, while gb_alloc probes")
    all_kills, all_faults = [], []
    for swap in (True, False):
        for size, rate in ((128, 500),) if IS_SMOKE else ((128, 500), (256, 1000), (256, 2000)):
            turns = [hog_turn(swap, size, rate) for _ in range(TURNS)]
            got, faults, kills = zip(*turns)
            print(f"   {'swap' if swap else 'no swap'}, {size} MiB at {rate} MiB/s: granted {spread(got, '{:.1f}')} MiB, "
                  f"hog's major faults {spread(faults, '{:.0f}')}, kills {sum(kills)}", flush=True)
            all_kills += kills
            all_faults += [count for count in faults if count >= 0]
    kit.row("mac/hog-kills", all_kills, note="each of a hog and an asker")
    kit.row("mac/hog-faults", all_faults)
