# SPDX-License-Identifier: MIT
"""cycle: a program with much live data does a fixed amount of work in a group whose limit falls to half, stays, and rises again.

The limit falls in steps, as it does when other programs grow: STEP each STEP_S. Each turn runs each way once, each time in another order.
The work is measured out on this host: a fixed heap that fits into the lower limit does it in about WORK_S. So the low limit lies in the middle of the work everywhere."""
import contextlib
import json
import shutil
import statistics
import subprocess
import threading
import time

import rows as kit
import time_share
from control_groups import Memory
from options import IS_SMOKE, TURNS
from programs import BUILD, ROOT, skip
from samples import ratios, spread
from swap import swap_file

HEAPNICE = BUILD / "bin/heapnice"
MIB = 1 << 20
# A smoke run has an eighth of everything.
SCALE = 8 if IS_SMOKE else 1
LIMIT_HIGH, LIMIT_LOW = 2048 * MIB // SCALE, 1024 * MIB // SCALE
STEP, STEP_S = 64 * MIB // SCALE, 0.25
PHASE_S = 2 if IS_SMOKE else 15
LIVE_MIB = 480 // SCALE
SMOKE_ROUNDS = 5_000
WORK_S, MEASURED_S = 60, 10
FIXED_MIB = [900 // SCALE, 1900 // SCALE] if IS_SMOKE else [900, 1200, 1900]  # the last one fits in LIMIT_HIGH
RUN_MAX_S = 60 if IS_SMOKE else 240  # a heap that is paged may never end
FOLLOWS = "heapnice"
SHARES = time_share.TimeShares({"serial": 1, "g1": 1})


@contextlib.contextmanager
def prepared(folder):
    """Compiles the program, and turns a swap file on."""
    if not shutil.which("javac"):
        skip("no javac is here")
    subprocess.run(["javac", "-d", folder, ROOT / "tests/support/Churn.java"], check=True)
    with swap_file(folder, "3G"):
        yield


class MovingLimit(threading.Thread):
    """Moves a group's limit down and up again, until it is ended."""

    def __init__(self, group):
        super().__init__(daemon=True)
        self.group, self.is_over = group, threading.Event()

    def run(self):
        if self.is_over.wait(PHASE_S):
            return
        while self.group.limit_bytes > LIMIT_LOW:
            self.group.move_limit(max(self.group.limit_bytes - STEP, LIMIT_LOW))
            if self.is_over.wait(STEP_S):
                return
        if not self.is_over.wait(PHASE_S):
            self.group.move_limit(LIMIT_HIGH)

    def end(self):
        self.is_over.set()
        self.join()


def rounds_of_work(folder, collector):
    """The rounds that the smallest fixed heap does in WORK_S, where no limit moves."""
    if IS_SMOKE:
        return SMOKE_ROUNDS
    java = ["java", f"-XX:+Use{collector}GC", f"-Xms{FIXED_MIB[0]}m", f"-Xmx{FIXED_MIB[0]}m", "-cp", folder, "Churn", LIVE_MIB, 10**9, MEASURED_S]
    told = subprocess.run([str(word) for word in java], stdout=subprocess.PIPE, text=True, check=True)
    rounds, took_ms = (int(word) for word in told.stdout.split()[:2])
    return rounds * WORK_S * 1000 // took_ms


def command_of(folder, collector, way, rounds):
    heap = [] if way == FOLLOWS else [f"-Xms{way}m", f"-Xmx{way}m"]
    java = ["java", f"-XX:+Use{collector}GC", *heap, "-cp", folder, "Churn", LIVE_MIB, rounds]
    return [HEAPNICE, "--json", folder / "report", "--", *java] if way == FOLLOWS else java


def run_once(folder, collector, way, rounds):
    """Returns {"time_s", "faults", "kills"}; without a time if the program failed."""
    with Memory(LIMIT_HIGH) as group:
        process = subprocess.Popen(group.command(command_of(folder, collector, way, rounds)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        moving = MovingLimit(group)
        start = time.monotonic()
        moving.start()
        try:
            process.communicate(timeout=RUN_MAX_S)
            took_s, is_well = time.monotonic() - start, process.returncode == 0
        except subprocess.TimeoutExpired:
            process.kill()
            for pid in (group.path / "cgroup.procs").read_text().split():
                subprocess.run(["kill", "-9", pid], check=False)
            process.communicate()
            took_s, is_well = float(RUN_MAX_S), True
        moving.end()
        told = {"faults": group.stat("pgmajfault"), "kills": group.kills()}
        return {**told, "time_s": took_s} if is_well else told


def cycle(folder, part, collector):
    rounds = rounds_of_work(folder, collector)
    print(f"{collector}: {LIVE_MIB} MiB live, {rounds} rounds of 1 MB, limit {LIMIT_HIGH // MIB}, {LIMIT_LOW // MIB}, {LIMIT_HIGH // MIB} MiB, "
          f"phases of {PHASE_S} s", flush=True)
    ways = [FOLLOWS, *FIXED_MIB]
    turns = {way: [] for way in ways}
    for turn in SHARES.turns(part, TURNS):
        for way in ways[turn % len(ways):] + ways[:turn % len(ways)]:
            turns[way].append(run_once(folder, collector, way, rounds))
            if way == FOLLOWS:
                report = json.loads((folder / "report").read_text(encoding="utf-8"))
                print(f"   {len(report['changes'])} changes, {report['ordered_collections']} collections ordered", flush=True)
            print(f"   {way if way == FOLLOWS else f'fixed {way} MiB'}: " + ", ".join(f"{name} {value:.1f}" for name, value in turns[way][-1].items()), flush=True)
    tell(part, turns)


def tell(part, turns):
    for way, told in turns.items():
        print(f"   {way!s:>9}: run time {spread([turn.get('time_s') for turn in told], '{:.1f}')} s, major faults {spread([turn['faults'] for turn in told], '{:.0f}')}")
    follows = turns[FOLLOWS]
    kit.row("heapnice/kills", [turn["kills"] for turn in follows], variant=part)
    whole = {way: told for way, told in turns.items() if all("time_s" in turn for turn in told)}
    if FOLLOWS not in whole or len(whole) < 2:
        print("   not compared: not all turns ended well")
        return
    best = min((way for way in whole if way != FOLLOWS), key=lambda way: statistics.median(turn["time_s"] for turn in whole[way]))
    kit.row("heapnice/time", ratios([turn["time_s"] for turn in follows], [turn["time_s"] for turn in whole[best]]), variant=part,
            note=f"best fixed heap {best} MiB, of {', '.join(map(str, FIXED_MIB))}")
    largest = turns[FIXED_MIB[-1]]
    if all(turn["faults"] for turn in largest):
        kit.row("heapnice/faults", [100 * share for share in ratios([turn["faults"] for turn in follows], [turn["faults"] for turn in largest])], variant=part,
                note=f"{statistics.median(turn['faults'] for turn in follows):.0f} of {statistics.median(turn['faults'] for turn in largest):.0f} "
                f"with a fixed heap of {FIXED_MIB[-1]} MiB")
