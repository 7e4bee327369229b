# SPDX-License-Identifier: MIT
"""foreground: how long a foreground takes beside a copy that is held back in some way, over its time alone."""
import contextlib
import shutil
import statistics
import time

import rows as kit
from control_groups import Cap, has_blkio
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import MB, evict, held, timed
from samples import spread
from session import Session
from setting import COPY, SHARES, is_left_out


def background_ways(source):
    """Returns {name: command}; a way that a control group holds has a rate before the command."""
    copy = ["rsync", str(source), str(COPY)]
    ways = {"nothing": None, "rsync": copy, "discnice --rate 1MB": held("--rate", "1MB") + copy, "discnice --rate 5MB": held("--rate", "5MB") + copy,
            "discnice (nice)": held() + copy, "discnice idle": held("--policy", "idle") + copy}
    if shutil.which("ionice"):
        ways["ionice -c3"] = ["ionice", "-c3", *copy]
    for rate in (1, 5):
        ways[f"rsync --bwlimit={rate}MB"] = ["rsync", f"--bwlimit={rate * MB // 1024}K", *copy[1:]]
        if has_blkio():
            ways[f"blkio cap {rate}MB"] = (rate * MB, copy)
    return ways


def beside(disk, way, foreground, source, lead_s=1.0):
    """The seconds of `foreground` beside `way`."""
    evict(foreground, source)
    with contextlib.ExitStack() as stack:
        if isinstance(way, tuple):
            rate, command = way
            way = stack.enter_context(Cap([disk.number], rate)).command(command)
        working = stack.enter_context(Session(way)) if way else None
        time.sleep(lead_s if way else 0)
        elapsed, _ = timed(["dd", f"if={foreground}", "of=/dev/null", "bs=128k"])
        if working and not working.is_running():
            print("   (the background had ended before the foreground: this figure is too good)")
    COPY.unlink(missing_ok=True)
    return elapsed


def part():
    with Disk() as disk:
        foreground, source = disk.file("foreground", 200 * MB), disk.file("source", 200 * MB if IS_SMOKE else 900 * MB)
        ways = background_ways(source)
        if IS_SMOKE:
            ways = {name: ways[name] for name in ("nothing", "discnice (nice)")}
        times = {name: [] for name in ways}
        for turn in SHARES.turns("foreground", TURNS):
            for name, way in ways.items():
                if not is_left_out(name, turn):
                    times[name].append(beside(disk, way, foreground, source, 0.3 if IS_SMOKE else 1.0))
        alone = statistics.median(times["nothing"])
        for name, figures in times.items():
            print(f"200 MB foreground beside {name:22} {spread([figure / alone for figure in figures])} of alone ({alone:.2f} s)")
    over = {name: [figure / alone for figure in figures] for name, figures in times.items()}
    if IS_SMOKE:
        kit.row("throttle/foreground/nice", over["discnice (nice)"])
        return
    report(over)
    beside_bfq()


def report(over):
    peers = {name: statistics.median(figures) for name, figures in over.items() if "discnice" not in name and name != "nothing"}
    for way, row in (("discnice --rate 1MB", "1"), ("discnice --rate 5MB", "5")):
        of_its_rate = {name: figure for name, figure in peers.items() if name.endswith(f"{row}MB") or name == "rsync"}
        kit.row(f"throttle/foreground/{row}", over[way], peers=of_its_rate)
    for way, row in (("discnice (nice)", "nice"), ("discnice idle", "idle")):
        kit.row(f"throttle/foreground/{row}", over[way], peers={name: figure for name, figure in peers.items() if not name.endswith("MB")})


def beside_bfq():
    """ionice, which has no effect on a disk without a scheduler."""
    with Disk(scheduler="bfq") as disk:
        foreground, source = disk.file("foreground", 200 * MB), disk.file("source", 900 * MB)
        ways = {name: way for name, way in background_ways(source).items() if name in ("nothing", "ionice -c3")}
        times = {name: [] for name in ways}
        for _ in SHARES.turns("bfq", 3):
            for name, way in ways.items():
                times[name].append(beside(disk, way, foreground, source))
        alone = statistics.median(times["nothing"])
        print(f"200 MB foreground beside ionice -c3 with BFQ    {spread([figure / alone for figure in times['ionice -c3']])} of alone")
