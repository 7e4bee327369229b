# SPDX-License-Identifier: MIT
"""truth: how often gbp is right about files of other users, on many file systems."""
import contextlib
import json
import os
import pathlib
import random
import shutil
import subprocess

from options import IS_SMOKE, TURNS
from programs import BUILD, run
from residency import Residency
import rows as kit
from setting import GBP, MIB, SHARES, drop_caches, make_file, say

NOBODY = 65534


def reachable(folder):
    """Makes a copy of gbp that every user may run."""
    place = folder / "program"
    (place / "lib").mkdir(parents=True)
    shutil.copy(GBP, place / "gbp")
    for library in (BUILD / "lib").glob("libgray.so*"):
        shutil.copy(library, place / "lib", follow_symlinks=True)
    os.chmod(folder, 0o755)
    return place


def ask_as_nobody(place, names, backend):
    command = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "env", "-u", "XDG_RUNTIME_DIR",
               "HOME=/nonexistent", f"LD_LIBRARY_PATH={place}/lib", f"{place}/gbp", "-mem", "--json", "--backend", backend, *names]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return {entry["path"]: entry for entry in map(json.loads, lines)}


def half_cached(paths, size):
    return {path: sum(Residency(path).pages()) * 4096 > size // 2 for path in paths}


def judge(place, folder, name):
    """Half of the files are cached: counts gbp's right, unknown and wrong answers. A file that the host reclaimed during the question counts as none of these."""
    count, size = (8, 2 * MIB) if IS_SMOKE else (100, 2 * MIB)
    paths = [str(folder / f"t{i:03}") for i in range(count)]
    for path in paths:
        make_file(path, size)
        os.chmod(path, 0o644)
    os.sync()
    counts, backends = {"right": 0, "unknown": 0, "wrong": 0, "taken back": 0}, set()
    for turn in range(TURNS):
        warm = set(random.Random(turn).sample(paths, count // 2))
        drop_caches()
        for path in paths:
            fd = os.open(path, os.O_RDONLY)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)
        for path in warm:
            pathlib.Path(path).read_bytes()
        truth = half_cached(paths, size)
        answers = ask_as_nobody(place, paths, "auto")
        after = half_cached(paths, size)
        for path, entry in answers.items():
            share = entry["cached_fraction"]
            backends.add(entry["backend"])
            # Only in this direction: pages that the detector itself would have read in are its error.
            was_taken_back = truth[path] and not after[path]
            kind = "unknown" if share is None else "right" if (share >= 0.5) == truth[path] else "taken back" if was_taken_back else "wrong"
            counts[kind] += 1
    total = sum(counts.values())
    say(f"   {name:22} {counts['right']:4} right, {counts['unknown']:4} unknown, {counts['wrong']:3} wrong, {counts['taken back']:3} taken back meanwhile, "
        f"of {total} by {', '.join(sorted(backends))}")
    if counts["right"] + counts["wrong"] > 0:
        kit.row("gbp/truth", [100 * counts["right"] / (counts["right"] + counts["wrong"])], variant=name, note=f"{counts['unknown']} of {total} unknown")
    return counts["wrong"]


@contextlib.contextmanager
def loop_system(work, kind):
    image, mount = work / f"{kind}.img", work / kind
    mount.mkdir()
    with open(image, "wb") as stream:
        stream.truncate(1 << 30)
    made = shutil.which(f"mkfs.{kind}") and run(f"mkfs.{kind}", "-q", "-F" if kind == "ext4" else "-f", image).returncode == 0
    is_up = made and run("mount", "-o", "loop", image, mount).returncode == 0
    try:
        yield mount if is_up else None
    finally:
        if is_up:
            run("umount", mount)
        image.unlink()


def truth(work):
    say("3. detector truth for somebody who neither owns the files nor may write them (mincore tells that user that all is cached)")
    SHARES.take("truth")
    place, wrong = reachable(work), []
    for kind in ("ext4", "xfs", "btrfs"):
        with loop_system(work, kind) as mount:
            if mount is None:
                say(f"   {kind:22} SKIPPED: cannot be made or mounted here")
            else:
                wrong.append(judge(place, mount, kind))
    for name in ("lower", "upper", "over", "merged", "tmp", "under", "fuse"):
        (work / name).mkdir()
    mounts = {"overlay": (["mount", "-t", "overlay", "overlay", "-o", f"lowerdir={work}/lower,upperdir={work}/upper,workdir={work}/over",
                           work / "merged"], work / "merged"),
              "tmpfs": (["mount", "-t", "tmpfs", "tmpfs", work / "tmp"], work / "tmp"),
              "fuse (bindfs)": (["bindfs", work / "under", work / "fuse"], work / "fuse")}
    for name, (command, folder) in mounts.items():
        if not shutil.which(command[0]) or run(*command).returncode != 0:
            say(f"   {name:22} SKIPPED: cannot be mounted here")
            continue
        try:
            os.chmod(folder, 0o755)
            wrong.append(judge(place, folder, name))
        finally:
            run("umount", folder)
    kit.row("gbp/wrong-confident", [sum(count > 0 for count in wrong)], note=f"of {len(wrong)}")
