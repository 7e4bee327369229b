# SPDX-License-Identifier: MIT
"""setting: what the parts of this benchmark share."""
import pathlib
import time

import time_share

SHARES = time_share.TimeShares({"rates": 700, "backups": 1000, "calls": 20, "cached": 100, "alone": 100, "adopt": 150, "kills": 200, "foreground": 120})


def program_of(launcher, wait_s=5.0):
    """The process that a launcher has started."""
    until = time.monotonic() + wait_s
    children = pathlib.Path(f"/proc/{launcher}/task/{launcher}/children")
    while time.monotonic() < until:
        found = children.read_text().split()
        if found:
            return int(found[0])
        time.sleep(0.002)
    raise RuntimeError("the launcher has started nothing")
