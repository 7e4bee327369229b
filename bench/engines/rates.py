# SPDX-License-Identifier: MIT
"""rates: how exactly a program of each kind is held to its limit over ten seconds, and what its worst second moves."""
import subprocess

import account
import readers
import rows as kit
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import MB, evict, held, scratch
from samples import spread
from setting import SHARES, program_of

RATE = 5 * MB
SECONDS = 3 if IS_SMOKE else 12


def held_run(command):
    """Returns (the error in percent from the second second on, the worst second over the rate)."""
    with subprocess.Popen(held("--rate", f"{RATE // MB}MB") + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as launcher:
        with account.Sampler(program_of(launcher.pid), launcher.pid) as sampler:
            launcher.wait()
    return 100 * (sampler.rate_from(0.5 if IS_SMOKE else 2.0) / RATE - 1), sampler.worst_second() / RATE


def part():
    with scratch() as folder, Disk() as disk:
        folder.chmod(0o755)
        ways = readers.here(folder)
        if IS_SMOKE:
            ways = {name: ways[name] for name in ("dynamic C", "static C") if name in ways}
        path = disk.file("cold", RATE * SECONDS)
        path.chmod(0o644)
        empty = disk.file("empty", 0)
        empty.chmod(0o644)
        for command in ways.values():  # so that the program itself is in memory: Node's has 100 MB
            subprocess.run([*command, str(empty)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = {name: [] for name in ways}
        for _ in SHARES.turns("rates", TURNS):
            for name, command in ways.items():
                evict(path)
                found[name].append(held_run([*command, str(path)]))
        for name, turns in found.items():
            errors, worst = zip(*turns)
            print(f"5 MB/s, {name:14} error {spread(errors, '{:+.2f}')} %, worst second {spread(worst, '{:.2f}')} of the rate", flush=True)
            kit.row("engines/rate-error", [abs(error) for error in errors], variant=name)
            kit.row("engines/worst-second", worst, variant=name)
