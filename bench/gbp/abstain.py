# SPDX-License-Identifier: MIT
"""abstain: the cost of an order where it gains nothing."""
import mmap
import os
import random
import shutil
import subprocess
import time

from options import IS_SMOKE, TURNS
import rows as kit
from samples import ratios, spread
from setting import GBP, MIB, SHARES, drop_caches, make_file, say


def random_over_sequential(folder):
    """Measures the ratio as microbench does, in a tenth of a second."""
    path, pages = folder / "ratio", 16384
    make_file(path, pages * 4096)
    os.sync()
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    buffer, times = mmap.mmap(-1, MIB), []
    for length, offsets in ((4096, random.Random(1).sample(range(pages), 200)), (MIB, range(0, pages, 256))):
        view = memoryview(buffer)[:length]
        start = time.monotonic()
        for page in offsets:
            os.preadv(fd, [view], page * 4096)
        times.append((time.monotonic() - start) / len(offsets) / length)
        view.release()
    os.close(fd)
    path.unlink()
    return times[0] / times[1]


def abstain(folder):
    count, size = (50, 65536) if IS_SMOKE else (2000, 262144)
    say(f"4. where seeks cost little, and where all is in memory: cat of {count} files of {size // 1024} KiB, with and without gbp -file")
    ratio = random_over_sequential(folder)
    os.environ["GRAY_PARAM_DISK_RANDOM_OVER_SEQUENTIAL"] = f"{ratio:.1f}"
    say(f"   a random page takes {ratio:.0f} times a sequential one here")
    top = folder / "many"
    top.mkdir()
    for i in range(count):
        make_file(top / f"f{i:05}", size)
    os.sync()
    os.chdir(top)
    for state in ("cold", "in memory"):
        times = {"cat f*": [], f"cat $({GBP} -file f*)": []}
        for turn in SHARES.turns(f"abstain/{state}", 2 * TURNS + 1, TURNS):
            best = dict.fromkeys(times, float("inf"))
            if state == "in memory":
                subprocess.run(["bash", "-c", "cat f* >/dev/null"], check=False)
            #             # From memory, a turn's time is the least of five runs of each way, in turn. On a busy host each second run takes up to a quarter longer, and
            #             # the wanted difference is a hundredth.
            for run in range(1 if state == "cold" else 5):
                for command in times if (turn + run) % 2 else reversed(times):
                    if state == "cold":
                        drop_caches()
                    start = time.monotonic()
                    subprocess.run(["bash", "-c", command], stdout=subprocess.DEVNULL, check=False)
                    best[command] = min(best[command], time.monotonic() - start)
            for command, found in times.items():
                found.append(best[command])
        plain, gray = times.values()
        say(f"   {state}: plain {spread(plain)} s, with gbp -file {spread(gray)} s")
        kit.row("gbp/abstain", [100 * (more - 1) for more in ratios(gray, plain)], variant=state)
    os.chdir("/")
    shutil.rmtree(top)
