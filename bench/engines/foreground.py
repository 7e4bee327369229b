# SPDX-License-Identifier: MIT
"""foreground: a long read beside a backup that the library cannot reach and that gives way."""
import shutil
import statistics
import subprocess
import time

import backup_tools
import rows as kit
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import MB, evict, held, timed
from samples import spread
from session import Session
from setting import SHARES

WAYS = {"plain": [], "nice": held(), "idle": held("--policy", "idle")}


def part():
    if not shutil.which("restic"):
        print("not shown: foreground (restic is not installed)")
        return
    with Disk() as disk:
        restic = backup_tools.Restic(disk)
        long = disk.file("long", 60 * MB if IS_SMOKE else 200 * MB)
        backup_tools.make_folder(restic.source, 100 * MB if IS_SMOKE else 600 * MB)
        read = ["dd", f"if={long}", "of=/dev/null", "bs=128k"]
        alone, beside = [], {way: [] for way in WAYS}
        for _ in SHARES.turns("foreground", TURNS):
            disk.remount()
            evict(long)
            alone.append(timed(read)[0])
            for way, prefix in WAYS.items():
                restic.begin()
                subprocess.run(["sync", "-f", disk.folder], check=True)
                disk.remount()
                with Session([*prefix, *restic.command("backup", restic.source)]) as backup:
                    time.sleep(2)
                    beside[way].append(timed(read)[0])
                    if not backup.is_running():
                        print("   (the backup had ended before the foreground: this figure is too good)")
        middle = statistics.median(alone)
        over = {way: [figure / middle for figure in figures] for way, figures in beside.items()}
        for way, figures in over.items():
            print(f"200 MB read beside restic backup, {way:6} {spread(figures)} of alone ({middle:.2f} s)", flush=True)
        for way in ("nice", "idle"):
            kit.row(f"engines/foreground/{way}", over[way], peers={"plain": statistics.median(over["plain"])})
