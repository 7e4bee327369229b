# SPDX-License-Identifier: MIT
"""setting: what the parts of this benchmark share: the division of the time, the place of copies, the turns to take."""
import pathlib

import time_share

SHARES = time_share.TimeShares({"rate/1": 32, "rate/5": 32, "rate/50": 32, "rate/200": 30, "windows": 75, "processes": 25, "foreground": 170, "bfq": 40,
                                "lone": 60, "walk": 80, "fsync": 130, "control": 30, "faults": 50})
COPY = pathlib.Path("/dev/shm/throttle.copy")


def is_left_out(way, turn):
    """Skips turns of the other tools, because they need fewer turns."""
    return turn % 3 != 0 and way != "nothing" and "discnice" not in way


def off(errors):
    return [abs(error) for error in errors]
