# SPDX-License-Identifier: MIT
"""control: how soon a change of the rate, a pause and an interrupt take effect."""
import signal
import subprocess
import time

import rows as kit
from emulated_disk import Disk
from options import TURNS
from programs import DISCNICE, MB, evict, held, run
from samples import spread
from setting import SHARES


def part():
    felt, paused, resumed, stopped = [], [], [], []
    with Disk() as disk:
        source = disk.file("source", 300 * MB)
        for _ in SHARES.turns("control", TURNS):
            evict(source)
            process = subprocess.Popen(held("--rate", "300KB") + ["dd", f"if={source}", "of=/dev/null", "bs=64k"], stderr=subprocess.DEVNULL)
            time.sleep(1.2)
            felt.append(until(disk, ["set", str(process.pid), "--rate", "40MB"], lambda moved: moved > 1 * MB))
            paused.append(until(disk, ["set", str(process.pid), "--pause"], None))
            resumed.append(until(disk, ["set", str(process.pid), "--resume"], lambda moved: moved > 0))
            run(DISCNICE, "set", process.pid, "--rate", "10KB")
            time.sleep(0.4)
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.wait()
            stopped.append(1000 * (time.monotonic() - start))
    print(f"set --rate to effect   {spread(felt, '{:.0f}')} ms (to a megabyte moved)")
    print(f"set --pause to effect  {spread(paused, '{:.0f}')} ms (to the last byte moved)")
    print(f"set --resume to effect {spread(resumed, '{:.0f}')} ms (to the first byte moved)")
    print(f"SIGINT while asleep    {spread(stopped, '{:.0f}')} ms (to the launcher's end)")
    kit.row("throttle/set-effect", [ms for ms in felt if ms is not None] or [1500])
    kit.row("throttle/interrupt", stopped)


def until(disk, command, condition):
    """The milliseconds from the start of a discnice command until the disk shows its effect."""
    start, before = time.monotonic(), disk.moved()[0]
    run(DISCNICE, *command)
    last = start
    while time.monotonic() - start < 1.5:
        moved = disk.moved()[0]
        if condition and condition(moved - before):
            return 1000 * (time.monotonic() - start)
        if not condition and moved != before:
            before, last = moved, time.monotonic()
        time.sleep(0.002)
    return 1000 * (last - start) if not condition else None
