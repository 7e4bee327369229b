# SPDX-License-Identifier: MIT
"""speed: the time and the memory that gbp itself needs for very many names."""
import os
import pathlib
import shutil
import subprocess
import time

from options import IS_SMOKE, TURNS
import rows as kit
from setting import GBP, SHARES, say

SMOKE_FILES = 20000  # a fifth of the names must be more than a pipe holds: see peak()


def speed(folder):
    measure(folder, "speed", 100000, "gbp/speed", "gbp/memory")


def million(folder):
    """Makes a million files of one block: some 4 GB and a million inodes of $GRAY_SCRATCH, for some minutes."""
    measure(folder, "million", 1000000, "gbp/speed-million", "gbp/memory-million")


def measure(folder, part, files, speed_id, memory_id):
    count = SMOKE_FILES if IS_SMOKE else files
    say(f"5. {part}: ordering {count} warm small files on one core, names on stdin")
    top = make_tree(folder / "small", count)
    names = subprocess.run(["find", top, "-type", "f", "-print0"], capture_output=True, check=True).stdout
    few = b"".join(name + b"\0" for name in names.split(b"\0")[:count // 5])
    (folder / "names").write_bytes(names)
    (folder / "few").write_bytes(few)
    for mode in ("-mem", "-compose", "-file"):
        order = [] if mode == "-mem" else ["--order", "extent"]  # -mem does not look at the disk
        command = ["taskset", "-c", "0", GBP, mode, *order, "-0", "--files0-from"]
        times, memory = [], []
        for _ in SHARES.turns(f"{part}/{mode}", TURNS):
            start = time.monotonic()
            subprocess.run([*command, folder / "names"], stdout=subprocess.DEVNULL, check=False)
            times.append(time.monotonic() - start)
            memory.append((peak([*command, folder / "names"]) - peak([*command, folder / "few"])) / (count - count // 5))
        kit.row(speed_id, times, variant=mode)
        kit.row(memory_id, memory, variant=mode)
    shutil.rmtree(top)


def make_tree(top, count):
    """Makes the files, a thousand in each folder."""
    for i in range(count):
        below = top / f"d{i // 1000:03}"
        if i % 1000 == 0:
            below.mkdir(parents=True)
        (below / f"file-{i:06}").write_bytes(b"x" * 2000)
    os.sync()
    return top


def peak(command):
    """Returns the most memory that a program had, in bytes. The program waits until its output is read."""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        time.sleep(0.05)
        lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
        process.stdout.read()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
