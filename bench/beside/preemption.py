# SPDX-License-Identifier: MIT
"""preemption: how much speed an interval of `idle` takes from the job, and how much time it saves the foreground.

The foreground reads a block and thinks, beside a job that streams.

The pauses for thinking have random lengths (exponential), so that each interval is too short for some of them and longer than needed for others.
"""
import statistics
import time

import backgrounds
import disks
import foregrounds
import job
import peers
import programs
import rows as kit

INTERVALS_MS = (2, 8, 16, 50, 100)
THOUGHTS_MS = (10, 40)
AUTO = "auto"
LEAD_S = 1.0


def felt(place, way, thought_ms, turn):
    """The milliseconds that a read of the foreground takes, and the job's MB/s."""
    with job.Job(backgrounds.STREAM, place, way, LEAD_S) as working:
        before, start_s = sum(place.disk.moved()), time.monotonic()
        read_ms = foregrounds.measure("think", place.disk, turn, thought_ms / 1000)["think"]
        rate = (sum(place.disk.moved()) - before) / programs.MB / (time.monotonic() - start_s)
        if not working.is_running():
            raise RuntimeError("the stream had ended before the foreground: this would be no figure")
    return read_ms, rate


def ways():
    return {interval: peers.held("--policy", "idle", "--preemption", AUTO if interval == AUTO else f"{interval}ms") for interval in (*INTERVALS_MS, AUTO)}


def measured(turns):
    """Returns {thought: {way: [(ms, MB/s)]}}."""
    found = {thought: {} for thought in THOUGHTS_MS}
    with disks.pair("hdd7200", False, True) as (disk, other):
        place = backgrounds.Place(disk, other)
        backgrounds.STREAM.prepare(place)
        foregrounds.prepare(disk)
        for turn in turns("preemption"):
            for thought, of_ways in found.items():
                for name, way in {"alone": peers.WAYS["alone"], "plain": peers.WAYS["plain"], **ways()}.items():
                    of_ways.setdefault(name, []).append(felt(place, way, thought, turn))
    return found


def draw(thought, figure, title, label, values):
    """A curve over the fixed intervals, and a level line for the adaptive interval."""
    for name, line in (("", [(ms, values[ms]) for ms in INTERVALS_MS]), (", auto", [(ms, values[AUTO]) for ms in (INTERVALS_MS[0], INTERVALS_MS[-1])])):
        kit.curve(figure, f"thinking {thought} ms{name}", line, "preemption interval, ms", label, title=f"Preemption interval of idle: {title}")


def part(turns):
    for thought, of_ways in measured(turns).items():
        middle = {name: [statistics.median(column) for column in zip(*values)] for name, values in of_ways.items()}
        alone_ms = middle["alone"][0]
        slower = {name: values[0] / alone_ms for name, values in middle.items()}
        for name in middle:
            print(f"   thinking about {thought} ms, {name!s:6} a read takes {slower[name]:.2f} of alone ({alone_ms:.1f} ms), the job moves {middle[name][1]:.1f} MB/s")
        draw(thought, "preemption-foreground", "what a foreground that thinks feels", "time of a read, over alone", slower)
        draw(thought, "preemption-job", "what a job beside a foreground that thinks moves", "MB/s", {name: rate for name, (_, rate) in middle.items()})
        told = "; ".join(f"{ms} ms {slower[ms]:.2f}, {middle[ms][1]:.0f} MB/s" for ms in INTERVALS_MS)
        kit.row(f"beside/preemption/{thought}", [ms / alone_ms for ms, _ in of_ways[AUTO]], peers={"plain": slower["plain"]},
                note=f"the job moves {middle[AUTO][1]:.0f} MB/s, plain {middle['plain'][1]:.0f}; with a fixed interval of {told}")
