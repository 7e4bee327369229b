# SPDX-License-Identifier: MIT
"""adopting: a running program is held, and then released."""
import shutil
import subprocess
import sys
import time

import account
import readers
import rows as kit
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import DISCNICE, MB, evict, run, scratch
from samples import spread
from session import Session
from setting import SHARES

RATE = 5 * MB
HELD_S = 3 if IS_SMOKE else 12
FELT_BYTES = MB


def adopted(disk, command):
    """(error in percent from 2 s on, milliseconds from release to a megabyte moved)"""
    with Session(command, cwd=disk.folder) as session:
        time.sleep(0.5)
        pid = session.process.pid
        tree = account.tree_of(pid)
        with subprocess.Popen([DISCNICE, "adopt", "-q", "--tree", str(pid), "--rate", f"{RATE // MB}MB"]) as adopter:
            with account.Sampler(*tree) as sampler:
                time.sleep(HELD_S)
            before, start = account.booked_to(tree), time.monotonic()
            run(DISCNICE, "release", adopter.pid)
            while account.booked_to(tree) - before < FELT_BYTES and time.monotonic() - start < 2:
                time.sleep(0.001)
            felt = 1000 * (time.monotonic() - start)
            adopter.wait()
    return 100 * (sampler.rate_from(0.5 if IS_SMOKE else 2.0) / RATE - 1), felt


def part():
    with scratch() as folder, Disk() as disk:
        made = readers.here(folder)
        source = disk.file("cold", 100 * MB if IS_SMOKE else 600 * MB)
        ways = {"Python": [*made["Python"], source]}
        if "Java" in made:
            ways["Java"] = [*made["Java"], source]
        if shutil.which("rsync"):
            ways["rsync"] = ["rsync", "--inplace", "-W", source, disk.folder / "copy"]
        if "Go, static" in made:
            ways["Go"] = [*made["Go, static"], source]
        found = {name: [] for name in ways}
        for _ in SHARES.turns("adopt", TURNS):
            for name, command in ways.items():
                (disk.folder / "copy").unlink(missing_ok=True)
                evict(source)
                found[name].append(adopted(disk, command))
                sys.stdout.flush()
        for name, turns in found.items():
            errors, felt = zip(*turns)
            print(f"adopted at 5 MB/s, {name:7} error {spread(errors, '{:+.2f}')} %, let go: felt after {spread(felt, '{:.0f}')} ms", flush=True)
            kit.row("engines/adopt-error", [abs(error) for error in errors], variant=name)
            kit.row("engines/release-felt", felt, variant=name)
