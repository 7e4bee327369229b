# SPDX-License-Identifier: MIT
"""walk: grep beside a walk through another tree, as updatedb makes it."""
import os
import statistics
import subprocess
import time

import rows as kit
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import held, timed
from samples import spread
from setting import SHARES


def make_tree(folder, folders, files, size):
    for i in range(folders):
        place = folder / f"{i:04}"
        place.mkdir(parents=True)
        for j in range(files):
            (place / f"{j:04}").write_bytes(os.urandom(size // 2).hex().encode())


def part():
    with Disk() as disk:
        make_tree(disk.folder / "sources", 20 if IS_SMOKE else 60, 20, 40_000)
        make_tree(disk.folder / "others", 40 if IS_SMOKE else 500, 40, 200)
        grep = ["grep", "-r", "needle-not-there", str(disk.folder / "sources")]
        walk = ["find", str(disk.folder / "others"), "-printf", "%p %s %T@\n"]
        times = {name: ([], []) for name in ("alone", "together", "walk idle")}
        for _ in SHARES.turns("walk", TURNS):
            for name, (greps, walks) in times.items():
                disk.remount()
                if name == "alone":
                    greps.append(timed(grep)[0])
                    walks.append(timed(walk)[0])
                    continue
                start = time.monotonic()
                prefix = held("--policy", "idle") if name == "walk idle" else []
                process = subprocess.Popen(prefix + walk, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                greps.append(timed(grep)[0])
                process.wait()
                walks.append(time.monotonic() - start)
        alone = statistics.median(times["alone"][0])
        for name, (greps, walks) in times.items():
            print(f"grep and walk, {name:10} grep {spread([figure / alone for figure in greps])} of alone, walk {spread(walks)} s")
        together = statistics.median(times["together"][1])
        kit.row("throttle/grep-idle", [figure / alone for figure in times["walk idle"][0]],
                note=f"not held {statistics.median(times['together'][0]) / alone:.2f}")
        kit.row("throttle/walk-idle", [figure / together for figure in times["walk idle"][1]])
