# SPDX-License-Identifier: MIT
"""layout: orders by place on a mechanical disk, an aged directory and a refreshed one (figures 5 and 6)."""
import os
import random
import statistics
import subprocess
import time

from options import TURNS
import rows as kit
from samples import ratios, spread
from setting import GBP, SHARES, drop_caches, make_file, new_disk, say


def ordered(order, names):
    listed = subprocess.run([GBP, "-file", "--order", order, "-0", "--", *names], capture_output=True, check=True).stdout
    return listed.decode().split("\0")[:-1]


def read_all(names):
    start = time.monotonic()
    for name in names:
        with open(name, "rb", buffering=0) as stream:
            stream.read()
    return time.monotonic() - start


def layout_turn(order, names, rng):
    """(seconds with gbp's own, seconds of the reading alone) from cold"""
    rng.shuffle(names)
    if order != "random":
        drop_caches()
        start = time.monotonic()
        listed = ordered(order, names)
        took = time.monotonic() - start
        return took + read_all(listed), read_again(listed)
    return read_again(names), read_again(names)


def read_again(names):
    drop_caches()
    return read_all(names)


def layout():
    say("4. figure 5: 200 files of 8 KB in two directories, cold: seconds (gbp's own included), and of the reading alone")
    with new_disk() as disk:
        names = []
        for i in range(200):
            path = disk.folder / f"dir{i % 2}" / f"f{i:03}"
            path.parent.mkdir(exist_ok=True)
            make_file(path, 8192)
            names.append(str(path))
        os.sync()
        rng = random.Random(1)
        turns = {order: [] for order in ("random", "dir", "inode", "mtime", "extent", "auto")}
        for _ in SHARES.turns("layout", TURNS):
            for order, found in turns.items():
                found.append(layout_turn(order, names, rng))
        base = statistics.median(t for t, _ in turns["random"])
        for order, found in turns.items():
            whole, alone = [t for t, _ in found], [t for _, t in found]
            say(f"   {order:7} {spread(whole)} s, {base / statistics.median(whole):.1f}x; reading alone {spread(alone)} s, "
                f"{base / statistics.median(alone):.1f}x")
        for order, row in (("inode", "gbp/file-order"), ("dir", "gbp/file-order-directory")):
            kit.row(row, [random_s / whole_s for (random_s, _), (whole_s, _) in zip(turns["random"], turns[order])],
                    note=f"with gbp's own time; the reading alone {base / statistics.median(alone_s for _, alone_s in turns[order]):.1f}")


def aging():
    say("4. figure 6: 100 files of 8 KB, 30 epochs of 5 deletes and 5 creates, then gbp -refresh: cold reading in i-number order")
    with new_disk() as disk:
        fresh, aged, random_order, refreshed = [], [], [], []
        for turn in SHARES.turns("aging", TURNS):
            rng = random.Random(turn)
            top = disk.folder / f"turn{turn}"
            top.mkdir()
            for i in range(100):
                make_file(top / f"f{i:04}", 8192)
            os.sync()
            fresh.append(cold_in_inode_order(top))
            serial = 100
            for _ in range(30):
                for name in rng.sample(sorted(os.listdir(top)), 5):
                    (top / name).unlink()
                for _ in range(5):
                    make_file(top / f"f{serial:04}", 8192)
                    serial += 1
                os.sync()
            aged.append(cold_in_inode_order(top))
            names = [str(path) for path in top.iterdir()]
            rng.shuffle(names)
            random_order.append(read_again(names))
            done = subprocess.run([GBP, "-refresh", top, "--apply", "--force"], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                say(f"   refresh fails: {done.stderr}")
            refreshed.append(cold_in_inode_order(top))
        say(f"   fresh {spread(fresh)} s, aged {spread(aged)} s ({statistics.median(aged) / statistics.median(fresh):.2f}x), "
            f"random {spread(random_order)} s, refreshed {spread(refreshed)} s")
        kit.row("gbp/refresh", ratios(refreshed, fresh), note=f"aged {statistics.median(aged) / statistics.median(fresh):.2f}")


def cold_in_inode_order(top):
    """The median of five: where the disk stands when it begins decides over a few milliseconds of these."""
    names = sorted((str(path) for path in top.iterdir()), key=lambda path: os.stat(path).st_ino)
    times = []
    for _ in range(5):
        empty_journal(top)
        times.append(read_again(names))
    return statistics.median(times)


def empty_journal(folder):
    """What the journal has not brought home yet stays in memory, whatever is dropped: then one directory is cold and the next is not."""
    mount = next(path for path in (folder, *folder.parents) if path.is_mount())
    for way in ("--freeze", "--unfreeze"):
        subprocess.run(["fsfreeze", way, mount], check=True)
