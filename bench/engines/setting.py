# SPDX-License-Identifier: MIT
"""setting: helpers that the parts of this benchmark share."""
import contextlib
import os
import pathlib
import time

import time_share

SHARES = time_share.TimeShares({"rates": 700, "backups": 1000, "calls": 20, "cached": 100, "groups": 250, "alone": 100, "adopt": 150, "kills": 200, "foreground": 120, "suites": 1500})


def program_of(launcher, wait_s=5.0):
    """The process that a launcher has started: the child that runs another program than the launcher does."""
    until = time.monotonic() + wait_s
    children = pathlib.Path(f"/proc/{launcher}/task/{launcher}/children")
    own = os.path.realpath(f"/proc/{launcher}/exe")
    while time.monotonic() < until:
        for child in children.read_text().split():
            with contextlib.suppress(OSError):  # it has ended, or is just starting
                if os.readlink(f"/proc/{child}/exe") != own:
                    return int(child)
        time.sleep(0.002)
    raise RuntimeError("the launcher has started nothing")
