# SPDX-License-Identifier: MIT
"""backups: restic and other tools that keep copies, at a rate: how exactly the rate is kept, and whether the restored files are the original ones."""
import statistics
import subprocess

import account
import backup_tools
import rows as kit
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import MB, held, run
from samples import spread
from setting import SHARES, program_of

SECONDS = 4 if IS_SMOKE else 14
LEAD_S = 1.0 if IS_SMOKE else 2.0
RATES = [5 * MB] if IS_SMOKE else [5 * MB, 20 * MB]


def held_run(rate, step):
    """Returns (the bytes a second over ten seconds from the second second on, the worst second)."""
    with subprocess.Popen(held("--rate", f"{rate // MB}MB") + step.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as launcher:
        program_of(launcher.pid)  # waits until the program runs
        with account.TreeSampler(launcher.pid) as sampler:
            step.end()
            launcher.wait()
    if launcher.returncode != 0:
        raise RuntimeError(f"{step.command}: status {launcher.returncode}")
    return sampler.rate_from(LEAD_S), sampler.worst_second()


def turn(disk, tool, rate, found):
    tool.begin()
    for step in tool.steps():
        if not step.variant:
            subprocess.run(step.command, check=True, stdout=subprocess.DEVNULL)
            continue
        run("sync", "-f", disk.folder)
        disk.remount()
        found.setdefault(step.variant, []).append(held_run(rate, step))
    tool.verify()


def show(rate, found):
    for name, turns in found.items():
        rates, worst = zip(*turns)
        errors = [100 * (figure / rate - 1) for figure in rates]
        over = [figure / rate for figure in worst]
        print(f"{name:14} at {rate // MB:2} MB/s: error {spread(errors, '{:+.2f}')} %, worst second {spread(over, '{:.2f}')} of the rate", flush=True)
        kit.row(f"engines/backup-error/{rate // MB}", [abs(error) for error in errors], variant=name, note=f"{statistics.median(errors):+.2f} %")
        kit.row(f"engines/backup-worst-second/{rate // MB}", over, variant=name)


def measure(name, tools):
    for rate in RATES:
        found = {}
        with Disk() as disk:
            here = list(backup_tools.here(tools, disk))
            for folder in ("source", "more"):
                backup_tools.make_folder(disk.folder / "files" / folder, rate * SECONDS // 2)
            for _ in SHARES.turns(name, TURNS):
                for tool in here:
                    turn(disk, tool, rate, found)
        show(rate, found)


def part():
    measure("backups", [backup_tools.Restic])


def tools():
    measure("tools", [backup_tools.Rclone, backup_tools.Syncthing, backup_tools.Borg, backup_tools.Age])
