# SPDX-License-Identifier: MIT
"""crash: kills gbp -refresh, or cuts its power, at many of its system calls."""
import os
import subprocess

from options import IS_SMOKE
from programs import ROOT
import rows as kit
from setting import SHARES, say


def crash():
    """Runs the test's own driver at each twentieth stop; with GRAY_CRASH_STEP=1 at all stops."""
    SHARES.take("crash")
    step = "2000" if IS_SMOKE else os.environ.get("GRAY_CRASH_STEP", "20")
    say(f"6. gbp -refresh killed before and after each {step}th of its system calls, and the power cut after those that change a disk")
    done = subprocess.run(["bash", ROOT / "tests/system/gbp_refresh_crash_test.sh"], env={**os.environ, "GRAY_CRASH_STEP": step},
                          capture_output=True, text=True, check=False)
    told = (done.stdout + done.stderr).strip().splitlines() or ["nothing said"]
    if done.returncode == 77:
        say(f"   SKIPPED: {told[-1]}")
        return
    kit.row("gbp/crash", [float(done.returncode != 0)], note=told[-1])
