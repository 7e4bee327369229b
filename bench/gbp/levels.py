# SPDX-License-Identifier: MIT
"""levels: memory, flash, a disk and a server in one list. Measures whether probe times tell them apart, what that order gains, and how well the time of a scan is predicted."""
import contextlib
import ctypes
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import time

from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import BUILD, run, skip
from residency import Residency
import rows as kit
from setting import GBP, SHARES, drop_caches, make_file, say

HERE = pathlib.Path(__file__).resolve().parent
EACH = 20 if IS_SMOKE else 100
FILE_BYTES = 1_000_000
RUNS = 4 * TURNS
STORES = ("memory", "flash", "disk", "server")


@contextlib.contextmanager
def ground():
    """Yields the folders by name. The server is a file system in user space (bindfs) above a disk whose every request takes 30 ms. The files for memory lie on the disk, too."""
    with Disk(size="1G", profile=HERE / "flash.profile") as flash, Disk(size="1G") as disk, Disk(size="1G", profile=HERE / "far.profile") as below:
        far = below.folder.parent / f"{below.folder.name}-served"
        far.mkdir(exist_ok=True)
        if run("bindfs", below.folder, far).returncode != 0:
            skip("bindfs mounts nothing here")
        try:
            yield {"flash": flash.folder / "files", "disk": disk.folder / "files", "memory": disk.folder / "memory", "server": far / "files"}
        finally:
            run("umount", "-l", far)
            run("rmdir", far)


def fill(folders):
    paths = {}
    for name, folder in folders.items():
        folder.mkdir()
        paths[name] = [str(folder / f"{i:03}") for i in range(EACH)]
        for path in paths[name]:
            make_file(path, FILE_BYTES)
    os.sync()
    return paths


def read(paths):
    """The seconds until each file has been read, one after the other."""
    start, times = time.monotonic(), []
    for path in paths:
        with open(path, "rb", buffering=0) as stream:
            while stream.read(128 * 1024):
                pass
        times.append(time.monotonic() - start)
    return times


def ask(paths, *options):
    """Returns gbp's results for the files, in gbp's order, and its lines on levels. gbp has no probes of an earlier run."""
    names = "".join(path + "\0" for path in paths)
    made = subprocess.run([GBP, "-mem", "--json", "--explain", *options, "--files0-from", "-"], input=names, capture_output=True, text=True, check=False)
    for memory in pathlib.Path(os.environ["XDG_RUNTIME_DIR"]).glob("gbp-probes"):
        memory.unlink()
    return [json.loads(line) for line in made.stdout.splitlines()], re.findall(r"level \d+: (\w+)", made.stderr)


def is_in_memory(path):
    """Whether most of the file is in memory, by the kernel's answer."""
    return 2 * sum(Residency(path).pages()) * 4096 > FILE_BYTES


def ask_of_ground(paths, given):
    """Returns gbp's results for all files, with the files for memory in memory. Another program may empty the page cache meanwhile: then gbp is asked again."""
    for _ in range(5):
        drop_caches()
        read(paths["memory"])
        answer = ask(given, "--backend", "timed")
        if all(is_in_memory(path) for path in paths["memory"]):
            return answer
        say("   what was to be in memory is not: somebody empties the page cache; once more")
    skip("the page cache is emptied again and again: nothing stays in memory long enough to be asked for")


def tell_apart(paths):
    """Measures the share of files in the right level, the number of levels, and how soon half of the data is read."""
    is_in = {path: STORES.index(name) + 1 for name, some in paths.items() for path in some}
    right, count_wrong, gain = [], 0, []
    for turn in SHARES.turns("levels", RUNS, 1 if IS_SMOKE else RUNS):
        given = sorted(is_in)
        random.Random(turn).shuffle(given)
        told, kinds = ask_of_ground(paths, given)
        right.append(100 * statistics.mean(one["level"] == is_in[one["path"]] for one in told))
        count_wrong += len(kinds) != len(STORES)
        if turn >= TURNS:
            continue
        by_level = [one["path"] for one in told]
        is_hit = {one["path"]: (one["cached_fraction"] or 0) >= 0.5 for one in told}
        by_hit = [path for path in given if is_hit[path]] + [path for path in given if not is_hit[path]]
        half = {}
        for name, order in (("level", by_level), ("hit", by_hit)):
            drop_caches()
            read(paths["memory"])
            half[name] = read(order[:len(order) // 2])[-1]
        gain.append(half["level"] / half["hit"])
    kit.row("gbp/levels-right", right)
    kit.row("gbp/levels-number", [count_wrong], note=f"{len(right)} runs")
    kit.row("gbp/levels-half", gain)


def two_levels(paths):
    """A disk with some files in memory: compares the answer from probe times with the kernel's."""
    right = []
    for turn in SHARES.turns("levels/two", TURNS):
        rng = random.Random(100 + turn)
        some = paths["disk"] + paths["memory"]
        drop_caches()
        read(rng.sample(some, rng.randrange(len(some) // 4, 3 * len(some) // 4)))
        truth = {path: is_in_memory(path) for path in some}
        rng.shuffle(some)
        told, _ = ask(some, "--backend", "timed")
        right.append(100 * statistics.mean((one["level"] == 1) == truth[one["path"]] for one in told))
    kit.row("gbp/levels-two", right)


def clustering_time():
    """Classifies 100,000 times through the library."""
    rng = random.Random(1)
    kinds = (lambda: 900 * rng.lognormvariate(0, 0.25), lambda: 60e3 * rng.lognormvariate(0, 0.3), lambda: rng.uniform(2e6, 15e6), lambda: 30e6 + rng.expovariate(1) * 4e5)
    times = (ctypes.c_uint64 * 100_000)(*(int(kinds[i % 4]()) for i in range(100_000)))
    library = ctypes.CDLL(BUILD / "lib/libgray.so")
    library.gb_levels_find.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64, ctypes.c_void_p]
    library.gb_levels_free.argtypes = [ctypes.c_void_p]
    library.gb_levels_count.argtypes, library.gb_levels_count.restype = [ctypes.c_void_p], ctypes.c_size_t
    took = []
    for _ in range(4 * TURNS):
        levels = ctypes.c_void_p()
        start = time.monotonic()
        library.gb_levels_find(times, len(times), 10_000, ctypes.byref(levels))
        took.append((time.monotonic() - start) * 1e3)
        assert library.gb_levels_count(levels) == len(kinds)
        library.gb_levels_free(levels)
    kit.row("gbp/levels-time", took)


def predicted(paths):
    """Returns the seconds that gbp --plan predicts for the given order and for the best order."""
    names = "".join(path + "\0" for path in paths)
    text = subprocess.run([GBP, "--plan", "--files0-from", "-"], input=names, capture_output=True, text=True, check=False).stdout
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    found = re.findall(r"^(?:as given|best order) +([0-9.]+) (\w+) predicted", text, re.M)
    return [float(value) * units[unit] for value, unit in found]


def foretell(paths):
    """Scans each store in a random order and in gbp's order, and compares the times with the predictions."""
    for store in ("flash", "disk", "server"):
        off = {"as given": [], "best order": []}
        for turn in SHARES.turns(f"levels/{store}", TURNS):
            given = list(paths[store])
            random.Random(200 + turn).shuffle(given)
            drop_caches()
            said = predicted(given)
            drop_caches()
            best = [one["path"] for one in ask(given)[0]] if store != "disk" else by_place(given)
            for name, seconds, order in zip(off, said, (given, best)):
                drop_caches()
                for path in order:
                    os.stat(path)
                took = read(order)[-1]
                off[name].append(100 * abs(seconds / took - 1))
        for name, samples in off.items():
            kit.row("gbp/scan-predicted", samples, variant=f"{store}, {name}")


def by_place(paths):
    names = "".join(path + "\0" for path in paths)
    return subprocess.run([GBP, "-compose", "-0", "--files0-from", "-"], input=names, capture_output=True, text=True, check=False).stdout.split("\0")[:-1]


def levels():
    say(f"11. levels: {EACH} files each in memory, on flash, on a disk and on a server, by nothing but time")
    clustering_time()
    with ground() as folders:
        paths = fill(folders)
        tell_apart(paths)
        two_levels(paths)
        foretell(paths)
