# SPDX-License-Identifier: MIT
"""rates: how far from its limit the disk's rate is over a whole run, beside the peers; and with eight processes in one job."""
import contextlib
import json
import shutil
import statistics

import rows as kit
from control_groups import Cap, has_blkio
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import DISCNICE, MB, evict, held, run, scratch, timed
from samples import spread
from setting import COPY, SHARES, is_left_out, off


def rate_ways(rate):
    cat = lambda path: ["dd", f"if={path}", "of=/dev/null", "bs=64k"]
    ways = {"discnice": lambda path: held("--rate", f"{rate}B" if rate < 1000 else f"{rate // 1000}KB") + cat(path)}
    if shutil.which("pv"):
        ways["pv -L"] = lambda path: ["sh", "-c", f"pv -q -L {rate} '{path}' >/dev/null"]
    if shutil.which("rsync"):
        ways["rsync --bwlimit"] = lambda path: ["rsync", f"--bwlimit={rate // 1024}K", "-W", "--inplace", str(path), str(COPY)]
    if has_blkio():
        ways["blkio throttle"] = cat
    return ways


def error(disk, path, rate, name, command):
    """How many percent the disk's rate was off."""
    evict(path)
    # The pages of the program, and of discnice, lie on another disk. Reads of these pages are paid for, too, and are not measured here.
    run(*held("--rate", "1GB"), "dd", "if=/dev/zero", "of=/dev/null", "count=1")
    with Cap([disk.number], rate) if name == "blkio throttle" else contextlib.nullcontext() as group:
        before = disk.moved()[0]
        elapsed, _ = timed(group.command(command) if group else command)
        moved = disk.moved()[0] - before
    COPY.unlink(missing_ok=True)
    return 100 * (moved / elapsed / rate - 1)


def part():
    seconds = 2 if IS_SMOKE else 6
    with Disk() as disk:
        for rate in [5 * MB] if IS_SMOKE else [1 * MB, 5 * MB, 50 * MB]:
            path, ways = disk.file("cold", rate * seconds), rate_ways(rate)
            errors = {name: [] for name in ways}
            for turn in SHARES.turns(f"rate/{rate // MB}", TURNS):
                for name, command in ways.items():
                    if not is_left_out(name, turn):
                        errors[name].append(error(disk, path, rate, name, command(path)))
            for name, figures in errors.items():
                print(f"rate {rate // MB:3} MB/s, reads over {seconds} s   {name:16} error {spread(figures, '{:+.2f}')} %")
            ours = off(errors.pop("discnice"))
            kit.row(f"throttle/rate-error/{rate // MB}", ours, peers={name: statistics.median(off(figures)) for name, figures in errors.items()})
            path.unlink()
    if not IS_SMOKE:
        own_disk(200 * MB, seconds)


def own_disk(rate, seconds):
    errors = []
    with scratch() as folder:
        path, report = folder / "cold", folder / "report"
        run("dd", "if=/dev/urandom", f"of={path}", "bs=1M", f"count={rate * seconds // (1 << 20)}", "conv=fsync")
        for _ in SHARES.turns(f"rate/{rate // MB}", TURNS):
            evict(path)
            run(DISCNICE, "--rate", f"{rate // MB}MB", "--json", "--report", report, "--", "dd", f"if={path}", "of=/dev/null", "bs=64k")
            figures = json.loads(report.read_text())
            errors.append(100 * (figures["kernel_read_bytes"] / figures["elapsed_seconds"] / rate - 1))
    print(f"rate {rate // MB:3} MB/s, reads over {seconds} s   {'discnice':16} error {spread(errors, '{:+.2f}')} % (the machine's own disk)")
    kit.row(f"throttle/rate-error/{rate // MB}", off(errors), note="on the machine's own disk, which gives more")


def eight_processes():
    seconds, rate = (2 if IS_SMOKE else 6), 20 * MB
    errors = []
    with Disk() as disk:
        paths = [disk.file(f"cold{i}", rate * seconds // 8) for i in range(8)]
        for _ in SHARES.turns("processes", TURNS):
            evict(*paths)
            before = disk.moved()[0]
            script = "; ".join(f"dd if={path} of=/dev/null bs=64k 2>/dev/null &" for path in paths).replace("&;", "&") + " wait"
            elapsed, _ = timed(held("--rate", "20MB") + ["sh", "-c", script])
            errors.append(100 * ((disk.moved()[0] - before) / elapsed / rate - 1))
    print(f"eight processes, one job at 20 MB/s: error {spread(errors, '{:+.2f}')} %")
    kit.row("throttle/eight-processes", off(errors))
