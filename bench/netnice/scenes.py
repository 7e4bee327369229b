#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scenes: one measurement on a line, run at the line's near end by netsim, with traffic.py serve at the far end.

  scenes.py NAME JSON        prints what was measured, as JSON

Each job is a process of its own. Its way is plain, netnice, trickle or tc (tbf) with a limit a little below the line's rate, or a congestion
control other than cubic.
"""
import contextlib
import json
import os
import pathlib
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import traffic

FAR = "10.97.0.2"
REST_S = 0.3 if os.environ.get("GRAY_BENCH_SMOKE") == "1" else 1.0
LIMIT_PART = 0.95  # of the line's rate: a limit by trickle or tc has to be set to it by hand
TRAFFIC = [sys.executable, traffic.__file__]


def under(netnice, way, line_bytes_per_s=0):
    """Returns (the words before a command, its congestion control) for a way. The way tc sets a limit on the near end, which stays."""
    if way == "netnice":
        return [netnice, "-q", "--"], "cubic"
    limit = int(LIMIT_PART * line_bytes_per_s)
    if way == "trickle":
        return ["trickle", "-s", "-u", str(limit // 1024), "-d", str(limit // 1024)], "cubic"
    if way == "tc":
        subprocess.run(["tc", "qdisc", "replace", "dev", "line", "root", "tbf", "rate", f"{limit}bps", "burst", "10k", "latency", "50ms"], check=True)
    return [], "cubic" if way in ("plain", "tc") else way


class Job:
    """Sends or receives as much as it can until the block ends. With several directions it has several processes, of which the first keeps the log."""

    def __init__(self, direction, before, congestion="cubic"):
        self.folder = tempfile.TemporaryDirectory()
        self.log = pathlib.Path(self.folder.name, "log")
        logs = [str(self.log)] + ["/dev/null"] * direction.count(" ")
        commands = [shlex.join([*TRAFFIC, one, FAR, log, congestion]) for one, log in zip(direction.split(), logs)]
        self.process = subprocess.Popen([*before, "sh", "-c", " & ".join(commands) + " & wait"], start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        self.folder.cleanup()

    def marks(self):
        """Returns [(instant, bytes)] up to now."""
        with contextlib.suppress(FileNotFoundError):
            lines = self.log.read_text().splitlines()
            return [(float(instant), int(count)) for instant, count in (line.split() for line in lines if line.count(" ") == 1)]
        return []

    def rate(self, start, end):
        """The bytes a second between two instants."""
        inside = [mark for mark in self.marks() if start <= mark[0] <= end]
        if len(inside) < 2:
            return 0.0
        (first, before), (last, after) = inside[0], inside[-1]
        return (after - before) / (last - first)


def resting(asking):
    """The round trip on the line at rest."""
    return statistics.median(asking.during(REST_S))


def alone(netnice, way, line_bytes_per_s, direction, settle_s, seconds):
    """One job without other traffic: the job's rate, and the round trip beside the job over the round trip on the line at rest."""
    asking = traffic.Asking(FAR)
    base = resting(asking)
    with Job(direction, *under(netnice, way, line_bytes_per_s)) as job:
        time.sleep(settle_s)
        start = time.monotonic()
        beside = statistics.median(asking.during(seconds))
        return {"rate": job.rate(start, time.monotonic()), "round_trip": beside / base}


def bursts(netnice, way, line_bytes_per_s, direction, settle_s, count, burst_bytes):
    """Bursts of another program: their median time beside a job, over their median time on the line at rest."""
    def median():
        times = []
        for _ in range(count):
            times.append(traffic.burst(FAR, direction, burst_bytes))
            time.sleep(max(0.5 - times[-1], 0))
        return statistics.median(times)

    at_rest = median()
    with Job(direction, *under(netnice, way, line_bytes_per_s)):
        time.sleep(settle_s)
        return {"over": median() / at_rest}


def crowd(netnice, way, jobs, settle_s, seconds):
    """The time of a one-byte request beside four uploads and four downloads, which are one job or eight jobs."""
    asking = traffic.Asking(FAR)
    base = resting(asking)
    before, congestion = under(netnice, way)
    each = 8 // jobs
    with contextlib.ExitStack() as stack:
        for first in range(0, 8, each):
            directions = ["up" if number < 4 else "down" for number in range(first, first + each)]
            stack.enter_context(Job(" ".join(directions), before, congestion))
        time.sleep(settle_s)
        return {"round_trip": statistics.median(asking.during(seconds)) / base}


def sharing(netnice, direction, settle_s, seconds):
    """Two nice jobs, of which the second starts later: Jain's index of their rates."""
    with Job(direction, *under(netnice, "netnice")) as first:
        time.sleep(settle_s)
        with Job(direction, *under(netnice, "netnice")) as second:
            time.sleep(2 * settle_s)
            start = time.monotonic()
            time.sleep(seconds)
            rates = [job.rate(start, time.monotonic()) for job in (first, second)]
    squares = 2 * sum(rate * rate for rate in rates)
    return {"jain": sum(rates) ** 2 / squares if squares else 0, "rates": rates}


def yielding(netnice, direction, settle_s, seconds, patience_s):
    """A nice job beside a job that is not nice: the nice job's share while both run, and the time until it is back at its rate when the other job has ended."""
    with Job(direction, *under(netnice, "netnice")) as nice:
        time.sleep(settle_s)
        before = nice.rate(time.monotonic() - settle_s / 2, time.monotonic())
        with Job(direction, []) as plain:
            time.sleep(settle_s)
            start = time.monotonic()
            time.sleep(seconds)
            rates = [job.rate(start, time.monotonic()) for job in (nice, plain)]
        ended = time.monotonic()
        time.sleep(patience_s)
        back = next((end - ended for end, _ in nice.marks() if end >= ended + 0.5 and nice.rate(end - 0.5, end) >= 0.9 * before), patience_s)
    return {"share": rates[0] / max(sum(rates), 1), "back_s": back}


SCENES = {scene.__name__: scene for scene in (alone, bursts, crowd, sharing, yielding)}

if __name__ == "__main__":
    print(json.dumps(SCENES[sys.argv[1]](**json.loads(sys.argv[2]))))
