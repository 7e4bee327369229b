#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rows: the place where a benchmark reports a measured figure. Prints it for people, and appends it as one JSON line to the file $GRAY_BENCH_RESULTS.

  rows.py row ID [VALUE...] [--samples FILE] [--variant TEXT] [--peer NAME=VALUE]... [--paper NUMBER] [--note TEXT]
              [--what TEXT --unit UNIT --part PART [--goal '<= 5']]
  rows.py curve FIGURE CURVE FILE --x LABEL --y LABEL [--title TEXT] [--level NUMBER]
  rows.py host                          one line: the machine and its other load
  rows.py merge RECORD NEWER            puts the figures of NEWER into RECORD, in the place of the same figures there

A row is one of bench/kit/goals.txt, which has its unit, its goal and the paper's figure. A row with an ID that is not there brings its own what, unit and
part. VALUEs, or the first column of FILE, are the samples: their median is the value. The interval: with up to five samples their extremes, with more the
order statistics that contain the median 95 times in 100. A curve has two columns, x and y, of a figure; --level draws a horizontal line.
From Python: import rows; rows.row("mac/kills", [0]).
"""
import argparse
import datetime
import functools
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

from samples import interval

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = 1


@functools.lru_cache(maxsize=None)
def goals():
    """Returns {id: {"part", "what", "unit", "goal", "paper", "published"}} in the order of the file."""
    found = {}
    for line in (HERE / "goals.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        found[fields[0]] = dict(zip(("part", "what", "unit", "goal", "paper", "published"), fields[1:]))
    return found


def passes(value, goal):
    """True, False, or None when there is no goal."""
    match = re.fullmatch(r"(<=|>=|=) *([-+.0-9e]+)", goal)
    if not match:
        return None
    bound = float(match.group(2))
    return {"<=": value <= bound, ">=": value >= bound, "=": value == bound}[match.group(1)]


def judge(value, samples, goal):
    """passes() of a row."""
    verdict = passes(value, goal)
    if verdict and goal.startswith("="):  # no sample may differ
        verdict = all(passes(sample, goal) for sample in samples)
    return verdict


def first_match(path, pattern, fallback="unknown"):
    try:
        match = re.search(pattern, pathlib.Path(path).read_text(), re.M)
    except OSError:
        return fallback
    return match.group(1).strip() if match else fallback


def pressure(name):
    return first_match(f"/proc/pressure/{name}", r"some avg10=([0-9.]+)")


@functools.lru_cache(maxsize=None)
def commit():
    command = ["git", "-C", str(HERE), "-c", "safe.directory=*", "describe", "--always", "--dirty", "--abbrev=10"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout.strip() or "unknown"


def context():
    """The host, and its other load when the row was made."""
    return {
        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": commit(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "processor": first_match("/proc/cpuinfo", r"^model name[^:]*: (.*)"),
        "processors": os.cpu_count(),
        "memory_kib": int(first_match("/proc/meminfo", r"^MemTotal: +(\d+)", "0")),
        "load": first_match("/proc/loadavg", r"^(\S+ \S+ \S+)"),
        "pressure_cpu": pressure("cpu"),
        "pressure_io": pressure("io"),
        "is_root": os.geteuid() == 0,
    }


def append(line):
    path = os.environ.get("GRAY_BENCH_RESULTS")
    if not path:
        return
    # One write for one line, because benchmarks may report from several processes.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(descriptor, (json.dumps(line, ensure_ascii=False) + "\n").encode())
    finally:
        os.close(descriptor)


def digits(value):
    return f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"


def row(goal_id, samples, *, variant="", peers=None, paper=None, note="", what=None, unit=None, part=None, goal=None, bench=None):
    """Reports the median of `samples` under this id. Returns whether the goal is met (None without a goal)."""
    known = goals().get(goal_id)
    if known is None and (what is None or unit is None or part is None):
        raise ValueError(f"'{goal_id}' is not in bench/kit/goals.txt: say what, unit and part")
    known = known or {"part": part, "what": what, "unit": unit, "goal": "reported", "paper": "", "published": ""}
    samples = [float(sample) for sample in samples]
    if not samples:
        raise ValueError(f"no samples for '{goal_id}'")
    value, low, high = interval(samples)
    wanted = goal or known["goal"]
    verdict = judge(value, samples, wanted)
    append({
        "schema": SCHEMA, "kind": "row", "id": goal_id, "variant": variant, "bench": bench or os.environ.get("GRAY_BENCH_NAME", ""),
        "part": part or known["part"], "claim": what or known["what"], "unit": unit or known["unit"], "paper": paper or known["paper"],
        "published": known["published"], "peer": peers or {}, "goal": wanted, "value": value, "low": low, "high": high, "pass": verdict,
        "runs": len(samples), "samples": samples, "note": note, "is_smoke": os.environ.get("GRAY_BENCH_SMOKE") == "1", "context": context()})
    told = {True: "ok", False: "SHORT", None: ""}[verdict]
    beside = "".join(f"  {name} {digits(number)}" for name, number in (peers or {}).items())
    print(f"{goal_id + (' ' + variant if variant else ''):44} {digits(value):>9} {known['unit']} ({digits(low)} to {digits(high)}, n={len(samples)})"
          f"{'  goal ' + wanted if verdict is not None else ''}  {told}{beside}{'  [' + note + ']' if note else ''}", flush=True)
    return verdict


def curve(figure, name, points, x_label, y_label, title="", level=None):
    """One line of a figure: [(x, y)...]."""
    append({"schema": SCHEMA, "kind": "curve", "figure": figure, "curve": name, "title": title, "x": x_label, "y": y_label, "level": level,
            "points": [[float(x), float(y)] for x, y in points], "bench": os.environ.get("GRAY_BENCH_NAME", ""),
            "is_smoke": os.environ.get("GRAY_BENCH_SMOKE") == "1"})


def columns(path):
    with open(path, encoding="utf-8") as stream:
        return [line.split() for line in stream if line.strip() and not line.startswith("#")]


def host():
    facts = context()
    return (f"{facts['processor']}, {facts['processors']} processors, {facts['memory_kib'] / 1048576:.1f} GiB, Linux {facts['kernel']}, commit {facts['commit']}; "
            f"load {facts['load']}, pressure cpu {facts['pressure_cpu']} io {facts['pressure_io']}")


def merge(record, newer):
    """Replaces figures by those of NEWER. A figure that NEWER does not have stays, with its own date and commit. RECORD is replaced as a whole, in one step."""
    kept = {}
    for path in (record, newer):
        for line in pathlib.Path(path).read_text().splitlines() if pathlib.Path(path).exists() else []:
            found = json.loads(line)
            if found["kind"] == "row":
                key = ("row", found["bench"], found["id"], found["variant"])
            else:
                key = ("curve", found["bench"], found["figure"], found["curve"])
            kept[key] = line
    whole = pathlib.Path(f"{record}.new")
    whole.write_text("".join(f"{line}\n" for line in kept.values()))
    whole.replace(record)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("host")
    both = kinds.add_parser("merge")
    both.add_argument("record")
    both.add_argument("newer")
    one = kinds.add_parser("row")
    one.add_argument("id")
    one.add_argument("values", nargs="*", type=float)
    one.add_argument("--samples")
    one.add_argument("--peer", action="append", default=[])
    for name in ("variant", "paper", "note", "what", "unit", "part", "goal"):
        one.add_argument(f"--{name}", default="" if name in ("variant", "note") else None)
    line = kinds.add_parser("curve")
    for name in ("figure", "curve", "file"):
        line.add_argument(name)
    for name in ("x", "y"):
        line.add_argument(f"--{name}", required=True)
    line.add_argument("--title", default="")
    line.add_argument("--level", type=float)
    return parser.parse_args()


def main():
    asked = parse()
    if asked.kind == "host":
        print(host())
    elif asked.kind == "merge":
        merge(asked.record, asked.newer)
    elif asked.kind == "curve":
        curve(asked.figure, asked.curve, columns(asked.file), asked.x, asked.y, asked.title, asked.level)
    else:
        samples = asked.values or [line[0] for line in columns(asked.samples or "/dev/stdin")]
        peers = {name: float(value) for name, value in (peer.rsplit("=", 1) for peer in asked.peer)}
        row(asked.id, samples, variant=asked.variant, peers=peers, paper=asked.paper, note=asked.note, what=asked.what, unit=asked.unit,
            part=asked.part, goal=asked.goal)


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"rows: {error}")
