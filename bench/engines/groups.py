# SPDX-License-Identifier: MIT
"""groups: a program that the kernel holds (--engine cgroup), compared with the same limit set by hand: the rate, the sum of a copy's reads and writes, cached data, and what is left when the
launcher is killed."""
import os
import pathlib
import signal
import subprocess
import time

import account
import control_groups
import rows as kit
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import DISCNICE, MB, evict, held, run, timed
from samples import ratios, spread
from setting import SHARES, program_of

RATE = 5 * MB
SECONDS = 3 if IS_SMOKE else 13
LEAD_S = 0.5 if IS_SMOKE else 2.0
KILLS = 2 if IS_SMOKE else 20
ENGINE = ["--engine", "cgroup", "--rate", f"{RATE // MB}MB"]


def left_groups():
    return [group for group in control_groups.CGROUPS.rglob("discnice-*") if group.is_dir()]


def rate_of(command, is_ours):
    """The bytes a second from the second second on."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as launcher:
        with account.Sampler(program_of(launcher.pid) if is_ours else launcher.pid) as sampler:
            launcher.wait()
    return sampler.rate_from(LEAD_S)


def rates(disk, path):
    ours, by_hand, copies = [], [], []
    with control_groups.Cap([disk.number], RATE) as group:
        for _ in SHARES.turns("groups", TURNS):
            evict(path)
            ours.append(rate_of(held(*ENGINE) + ["cat", str(path)], True))
            evict(path)
            by_hand.append(rate_of(group.command(["cat", path]), False))
            evict(path)
            copies.append(rate_of(held(*ENGINE) + ["cp", str(path), f"{path}.copy"], True))
    beside = [100 * (ratio - 1) for ratio in ratios(ours, by_hand)]
    errors = [100 * (rate / RATE - 1) for rate in copies]
    print(f"5 MB/s, read by the kernel's limit: {spread(beside, '{:+.2f}')} % off the one set by hand", flush=True)
    print(f"5 MB/s, a copy: read and written together {spread(errors, '{:+.2f}')} % off", flush=True)
    kit.row("engines/group/by-hand", [abs(error) for error in beside])
    kit.row("engines/group/copy", [abs(error) for error in errors])


def cached(path):
    plain, limited = [], []
    run("cat", path)
    command = ["sh", "-c", f"for i in $(seq 100); do cat {path}; done"]
    for _ in range(TURNS):
        plain.append(timed(command)[0])
        limited.append(timed(held(*ENGINE) + command)[0])
    over = ratios(limited, plain)
    print(f"in memory: {spread(over)} of plain", flush=True)
    kit.row("engines/group/cached", over)


def kills(path):
    """In how many cases a limit or a group is left one second after the launcher was killed."""
    wrong = 0
    for _ in range(KILLS):
        evict(path)
        with subprocess.Popen(held(*ENGINE) + ["cat", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as launcher:
            program = program_of(launcher.pid)
            time.sleep(0.3)
            os.kill(launcher.pid, signal.SIGKILL)
        time.sleep(1)
        limits = [text for group in left_groups() for text in ((group / name) for name in ("io.max", "blkio.throttle.read_bps_device")) if text.exists()]
        is_limited = any(f"{RATE}" in text.read_text() for text in limits)
        while pathlib.Path(f"/proc/{program}/io").exists():
            time.sleep(0.05)
        time.sleep(0.5)
        wrong += is_limited or bool(left_groups())
    print(f"killed {KILLS} times: {wrong} times a limit or a group is left", flush=True)
    kit.row("engines/group/kills-wrong", [wrong])


def part():
    here = subprocess.run([DISCNICE, "explain", "--", "cat"], capture_output=True, text=True, check=False).stdout
    if "--engine cgroup: possible" not in here:
        print(f"left out: groups: {next((line for line in here.splitlines() if 'engine cgroup' in line), 'no control group')}")
        return
    with Disk() as disk:
        path = disk.file("cold", RATE * SECONDS)
        rates(disk, path)
        cached(path)
        kills(path)
