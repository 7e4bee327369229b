# SPDX-License-Identifier: MIT
"""apps: the papers' applications in three ways: plain, with the library inside, and through gbp (figures 3 and 4)."""
import os
import subprocess
import tempfile
import time

from options import IS_SMOKE, TURNS
from passes import passes
from programs import BUILD
import rows as kit
from samples import ratios, spread
from setting import CACHE, GBP, Group, MIB, SHARES, drop_caches, make_file, new_disk, say


def apps():
    """Figure 3: plain, inside, through gbp. The set is 1.2 times the cache, as in the paper."""
    grep, sort = BUILD / "bin/gb-grep", BUILD / "bin/gb-fastsort"
    ratio = 1.2
    say(f"2. figure 3: grep and fastsort of {ratio} times the cache ({CACHE // MIB} MiB): plain, inside, through gbp")
    with new_disk() as disk:
        os.chdir(disk.folder)
        files = round(CACHE * ratio / (4 * MIB))
        for i in range(files):
            make_file(disk.folder / f"f{i:04}", 4 * MIB)
        ways = {"plain": "grep -a -c -F needle-that-is-not f*", "inside": f"{grep} -a -c -F needle-that-is-not f*",
                "through": f"grep -a -c -F needle-that-is-not $({GBP} -mem f*)"}
        show_ways("grep", ways, disk)
        for i in range(files):
            (disk.folder / f"f{i:04}").unlink()
        records = round(CACHE * ratio / 100)
        subprocess.run([sort, "--generate", str(records), disk.folder / "records"], check=True)
        memory = CACHE // 16
        # As in the paper, a turn is the reading of the first phase, by the sort's own clock, after another program went through the records. The sorted
        # runs are written to this machine's disk.
        with tempfile.TemporaryDirectory(dir="/var/tmp") as runs:
            common = f"--runs-only --stats --pass {memory} -o {runs}/sorted"
            ways = {"plain": f"{sort} {common} --linear records", "inside": f"{sort} {common} records",
                    "through": f"{GBP} -mem -out records -align 100 | {sort} {common} -"}
            show_ways("fastsort", ways, disk, "cat records")


def show_ways(what, ways, disk, before=None):
    """With `before`, this command runs in the group before each turn, and a turn is the time that a sort spends on reading."""
    times = {}
    for way, command in ways.items():
        os.chdir(disk.folder)
        with Group(CACHE) as group:
            turns = passes(f"apps/{what}/{way}", group, command, disk, 3, before)
        times[way] = [took for took, _ in turns]
        say(f"   {what}, {way:8}: {spread(times[way], '{:.2f}')} s, read {spread([read / MIB for _, read in turns], '{:.0f}')} MiB")
    kit.row(f"gbp/fig3/{what}-inside", ratios(times["plain"], times["inside"]))
    kit.row(f"gbp/fig3/{what}-gbp", ratios(times["plain"], times["through"]))


def match():
    count, size = (10, MIB) if IS_SMOKE else (100, 4 * MIB)
    say(f"2. figure 4: search for the first match, which is in the last of {count} files of {size // MIB} MiB; only that is cached")
    with new_disk() as disk:
        folder = disk.folder
        os.chdir(folder)
        for i in range(count):
            make_file(folder / f"f{i:04}", size)
        with open(folder / f"f{count - 1:04}", "ab") as stream:
            stream.write(b"\nneedle\n")
        times = {"plain": [], "gbp": []}
        for _ in SHARES.turns("match", TURNS):
            for way, command in (("plain", "grep -a -l -m1 -F needle f* | head -1"),
                                 ("gbp", f"for f in $({GBP} -mem f*); do grep -a -l -m1 -F needle $f && break; done")):
                drop_caches()
                (folder / f"f{count - 1:04}").read_bytes()
                start = time.monotonic()
                subprocess.run(["bash", "-c", command], stdout=subprocess.DEVNULL, check=False)
                times[way].append(time.monotonic() - start)
        say(f"   plain {spread(times['plain'])} s, gbp {spread(times['gbp'])} s")
        kit.row("gbp/fig4", ratios(times["plain"], times["gbp"]))
