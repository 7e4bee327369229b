# SPDX-License-Identifier: MIT
"""rounds: many rounds of processes that ask at once: kills, oversubscription, and how fair the shares are."""
import os
import subprocess
import time

import rows as kit
from options import IS_SMOKE
from setting import ADMISSION, MARGIN_SHARE, MIB, SHARES, Room

ROUNDS = 20 if IS_SMOKE else int(os.environ.get("ROUNDS", "1000"))


def rounds():
    SHARES.take("rounds")
    limit = 128 * MIB
    margin = 2 * max(limit // MARGIN_SHARE, 4 * MIB)
    print(f"4. {ROUNDS} rounds of 2 to 8 processes asking at once, {limit // MIB} MiB, no swap, margin {margin // MIB} MiB")
    with Room(limit, has_swap=False) as room:
        start = time.monotonic()
        process = room.start([ADMISSION, "rounds", ROUNDS, 4 * MIB, 1 << 40], stdout=subprocess.PIPE)
        answer = process.communicate()[0].split()
        print("  ", " ".join(answer))
        print(f"   OOM kills {room.kills()}, limit less margin {limit - margin}, {time.monotonic() - start:.0f} s", flush=True)
        told = dict(zip(answer[::2], map(float, answer[1::2])))
        kit.row("mac/kills", [max(room.kills(), told["killed"])])
        kit.row("mac/oversubscribed", [float(told["granted_max"] > limit - margin)],
                note=f"most granted at once {told['granted_max'] / MIB:.1f} of {(limit - margin) / MIB:.1f} MiB")
        kit.row("mac/unserved", [told["unserved"]])
        kit.row("mac/jain", [told["jain_mean"]], note=f"mean of the rounds in which all minima fit; least {told['jain_min']:.3f}, "
                f"{told['jain_below']:.0f} of them below 0.9")
