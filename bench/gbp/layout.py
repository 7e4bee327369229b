# SPDX-License-Identifier: MIT
"""layout: orders by place on a mechanical disk, an aged directory and a refreshed one (figures 5 and 6)."""
import os
import random
import statistics
import subprocess
import time

from options import IS_SMOKE, TURNS
import rows as kit
from samples import ratios, spread
from setting import GBP, SHARES, drop_caches, make_file, new_disk, say

AGING_FILES, AGED_FILES = 100, 5
EPOCHS, READINGS = (2, 1) if IS_SMOKE else (30, 5)
EXTENT_EPOCHS = 5  # the paper's disks did not tell where a file lies: the paper has no such curve; this curve has one point for this number of epochs
AGING_ORDERS = ("random", "i-number", "extent")


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
    """Returns (seconds with gbp's own time, seconds of the reading alone) from an uncached disk."""
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


class AgingFolder:
    """100 files of 8 KB. In each epoch five random files are removed and five new files are written."""

    def __init__(self, top, seed):
        self.top, self.rng, self.serial = top, random.Random(seed), 0
        top.mkdir()
        self.create(AGING_FILES)

    def create(self, count):
        for self.serial in range(self.serial + 1, self.serial + count + 1):
            make_file(self.top / f"f{self.serial:04}", 8192)
        os.sync()

    def age(self):
        for name in self.rng.sample(sorted(os.listdir(self.top)), AGED_FILES):
            (self.top / name).unlink()
        self.create(AGED_FILES)

    def names(self, order):
        names = [str(path) for path in self.top.iterdir()]
        self.rng.shuffle(names)
        if order == "i-number":
            return sorted(names, key=lambda name: os.stat(name).st_ino)
        return ordered("extent", names) if order == "extent" else names

    def cold(self, order, readings=1):
        """Returns the median seconds without the ordering. The disk's position at the beginning changes a time by a few milliseconds, so a median is taken."""
        names, times = self.names(order), []
        for _ in range(readings):
            times.append(read_again(names))
        return statistics.median(times)


def aging():
    say(f"4. figure 6: {AGING_FILES} files of 8 KB, {EPOCHS} epochs of {AGED_FILES} deletes and {AGED_FILES} creates, then gbp -refresh: cold reading")
    found = {order: {} for order in AGING_ORDERS}  # {order: {epoch: [seconds...]}}
    with new_disk() as disk:
        subprocess.run(["mount", "-o", "remount,noatime", disk.folder], check=True)  # so that reading writes nothing to the journal
        for turn in SHARES.turns("aging", TURNS):
            folder = AgingFolder(disk.folder / f"turn{turn}", turn)
            for epoch in range(EPOCHS + 2):
                if epoch == EPOCHS + 1:
                    done = subprocess.run([GBP, "-refresh", folder.top, "--apply", "--force"], capture_output=True, text=True, check=False)
                    if done.returncode != 0:
                        say(f"   refresh fails: {done.stderr}")
                elif epoch > 0:
                    folder.age()
                empty_journal(disk.folder)
                is_told = epoch in (0, EPOCHS, EPOCHS + 1)  # the rows use these epochs
                for order, times in found.items():
                    if is_told or order != "extent" or epoch % EXTENT_EPOCHS == 0:
                        times.setdefault(epoch, []).append(folder.cold(order, READINGS if is_told and order != "random" else 1))
    report_aging(found)


def report_aging(found):
    for order, times in found.items():
        say(f"   {order:8} fresh {spread(times[0])} s, aged {spread(times[EPOCHS])} s, refreshed {spread(times[EPOCHS + 1])} s")
        kit.curve("figure6", f"{order} order", [(epoch, statistics.median(seconds)) for epoch, seconds in times.items()],
                  "epoch", "seconds", f"Figure 6: reading an aging directory, gbp -refresh before epoch {EPOCHS + 1}")
    inode, random_order = found["i-number"], found["random"]
    kit.row("gbp/refresh", ratios(inode[EPOCHS + 1], inode[0]))
    kit.row("gbp/fig6/aged", ratios(inode[EPOCHS], inode[0]))
    kit.row("gbp/fig6/random", ratios(random_order[EPOCHS], inode[EPOCHS]))
    kit.row("gbp/fig6/extent", ratios(random_order[EPOCHS], found["extent"][EPOCHS]))


def empty_journal(mount):
    """Metadata that the journal has not written to its place yet stays in memory, whatever is dropped; without this, one directory would be cold and the next would not."""
    for way in ("--freeze", "--unfreeze"):
        subprocess.run(["fsfreeze", way, mount], check=True)
