# SPDX-License-Identifier: MIT
"""programs: what a benchmark in Python runs: where this build's programs lie, and how a command is run, timed, held and left out.

  programs.run("sync")                        its output dropped
  seconds, status = programs.timed(command)
  programs.held("--rate", "5MB") + command    under discnice
"""
import os
import pathlib
import statistics
import subprocess
import sys
import time

MB = 1_000_000
ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = pathlib.Path(sys.argv[0]).resolve().parent.name  # of the benchmark: bench/NAME/run
BUILD = pathlib.Path(os.environ.get("GRAY_BUILD_DIR", ROOT / "build/release")).resolve()
DISCNICE, HDDSIM, PAGECACHE = BUILD / "bin/discnice", BUILD / "bin/hddsim", BUILD / "tests/bin/pagecache"


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


def need_root_and(*programs):
    """Leaves the whole benchmark out where it cannot be."""
    if os.geteuid() != 0:
        skip("needs root")
    for program in programs:
        if not program.exists():
            skip(f"not built: {program}")
    os.environ.pop("LD_PRELOAD", None)


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def timed(command):
    start = time.monotonic()
    status = run(*command).returncode
    return time.monotonic() - start, status


def held(*options):
    return [str(DISCNICE), "-q", *options, "--"]


def evict(*paths):
    run(PAGECACHE, "evict", *paths)


def middle(figures, form="{:.3f}"):
    figures = [figure for figure in figures if figure is not None]
    if not figures:
        return "-"
    text = form.format(statistics.median(figures))
    return text if len(figures) == 1 else f"{text} ({form.format(min(figures))} to {form.format(max(figures))})"
