# SPDX-License-Identifier: MIT
"""backups: restic's backup, check and restore at a rate: how near it they are kept, and whether what comes back is what there was."""
import os
import shutil
import statistics
import subprocess

import account
import rows as kit
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import MB, held, run
from samples import spread
from setting import SHARES, program_of

SECONDS = 4 if IS_SMOKE else 14


def restic(disk, *arguments):
    return ["restic", "-q", "--no-cache", "-r", str(disk.folder / "repository"), *map(str, arguments)]


def held_run(rate, command):
    """(bytes a second over ten seconds from the second second on, the worst second, seconds)"""
    with subprocess.Popen(held("--rate", f"{rate // MB}MB") + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as launcher:
        with account.Sampler(program_of(launcher.pid), launcher.pid) as sampler:
            launcher.wait()
    if launcher.returncode != 0:
        raise RuntimeError(f"{command}: status {launcher.returncode}")
    return sampler.rate_from(1.0 if IS_SMOKE else 2.0), sampler.worst_second()


def make_source(disk, size):
    """Files of a megabyte, as a person has them, and some thousand small ones."""
    source = disk.folder / "source"
    source.mkdir()
    for i in range(size // MB):
        (source / f"{i:05}").write_bytes(os.urandom(MB))
    for i in range(500):
        (source / f"small{i:05}").write_bytes(os.urandom(2000 + 97 * i % 18000))
    run("sync", "-f", disk.folder)
    return source


def turn(disk, rate, found):
    repository, target = disk.folder / "repository", disk.folder / "restored"
    for folder in (repository, target):
        shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(restic(disk, "init"), check=True)
    for name, arguments in (("backup", ["backup", disk.folder / "source"]), ("check", ["check", "--read-data"]), ("restore", ["restore", "latest", "--target", target])):
        run("sync", "-f", disk.folder)
        disk.remount()
        found[name].append(held_run(rate, restic(disk, *arguments)))
    subprocess.run(["diff", "-r", disk.folder / "source", target / str(disk.folder / "source").lstrip("/")], check=True)


def part():
    if not shutil.which("restic"):
        print("not shown: backups (restic is not installed)")
        return
    os.environ["RESTIC_PASSWORD"] = "x"
    for rate in [5 * MB] if IS_SMOKE else [5 * MB, 20 * MB]:
        with Disk() as disk:
            make_source(disk, rate * SECONDS // 2)
            found = {"backup": [], "check": [], "restore": []}
            for _ in SHARES.turns("backups", TURNS):
                turn(disk, rate, found)
        for name, turns in found.items():
            rates, worst = zip(*turns)
            errors = [100 * (figure / rate - 1) for figure in rates]
            over = [figure / rate for figure in worst]
            print(f"restic {name:8} at {rate // MB:2} MB/s: error {spread(errors, '{:+.2f}')} %, worst second {spread(over, '{:.2f}')} of the rate", flush=True)
            kit.row(f"engines/backup-error/{rate // MB}", [abs(error) for error in errors], variant=name, note=f"{statistics.median(errors):+.2f} %")
            kit.row(f"engines/backup-worst-second/{rate // MB}", over, variant=name)
