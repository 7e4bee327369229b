# SPDX-License-Identifier: MIT
"""programs: helpers by which a benchmark in Python runs programs: this build's programs, a folder to work in, and functions that run, time, hold or skip a command.

  programs.run("sync")                        its output is discarded
  seconds, status = programs.timed(command)
  programs.held("--rate", "5MB") + command    under discnice
  with programs.scratch() as folder: ...      on the disk to measure on, which GRAY_SCRATCH names
"""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

MB = 1_000_000
ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = pathlib.Path(sys.argv[0]).resolve().parent.name  # the name of the benchmark: bench/NAME/run
BUILD = pathlib.Path(os.environ.get("GRAY_BUILD_DIR", ROOT / "build/release")).resolve()
DISCNICE, HDDSIM, PAGECACHE = BUILD / "bin/discnice", BUILD / "bin/hddsim", BUILD / "tests/bin/pagecache"


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


def need_root_and(*programs):
    """Skips the whole benchmark when it cannot run here."""
    if os.geteuid() != 0:
        skip("needs root")
    for program in programs:
        if not program.exists():
            skip(f"not built: {program}")
    os.environ.pop("LD_PRELOAD", None)


@contextlib.contextmanager
def scratch():
    """A folder that is removed with its content at the end of the block."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"gray-{NAME}.", dir=os.environ.get("GRAY_SCRATCH", "/var/tmp")))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
