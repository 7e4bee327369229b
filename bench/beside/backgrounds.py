# SPDX-License-Identifier: MIT
"""backgrounds: the work that runs beside a foreground: real programs on real trees, with a size or repetition that makes them outlive the foreground.

Each background is prepared once for a disk (prepare), brought back to its beginning before each run (begin), and is then the text of a shell script. A
round that reads cached data would be no round: the data that it reads is evicted before each round, by a process outside the job.
"""
import dataclasses
import functools
import os
import shutil
import subprocess
from typing import Callable

import programs

LARGE_FILES, LARGE_BYTES = 4, 150_000_000
SMALL_FILES, SMALL_FOLDERS, SMALL_BYTES = 1500, 50, 8_000
MANY_FILES, MANY_FOLDERS, MANY_BYTES = 20_000, 200, 4_000
WALK_FOLDERS, WALK_BYTES = 4000, 100
TREES = 10  # of MANY_FILES each, so that removals outlive the foreground
EVICTED = f"find %s -type f -exec env -u LD_PRELOAD '{programs.PAGECACHE}' evict {{}} +"


@dataclasses.dataclass
class Place:
    """Where a background works: its source on the foreground's disk, and the place that it writes, on the same disk or on another."""

    disk: object
    other: object

    @property
    def source(self):
        return self.disk.folder / "source"

    @property
    def target(self):
        return self.other.folder / "target"


def small_files(folder, files, folders, size):
    """Makes the files that do not exist yet."""
    for number in range(folders):
        (folder / f"{number:04}").mkdir(parents=True, exist_ok=True)
    for number in range(files):
        path = folder / f"{number % folders:04}/{number:05}"
        if not path.exists():
            path.write_bytes(os.urandom(size))


# --- made once for a disk


def make_backup_source(place):
    place.source.mkdir()
    for number in range(LARGE_FILES):
        place.disk.file(f"source/large{number}", LARGE_BYTES)
    small_files(place.source / "small", SMALL_FILES, SMALL_FOLDERS, SMALL_BYTES)


def make_many(place):
    small_files(place.source, MANY_FILES, MANY_FOLDERS, MANY_BYTES)


def make_archive(place, files=MANY_FILES):
    place.source.mkdir()
    small_files(place.source / "tree", files, MANY_FOLDERS, MANY_BYTES)
    subprocess.run(["tar", "cf", place.source / "archive", "-C", place.source, "tree"], check=True)
    shutil.rmtree(place.source / "tree")


def make_folders(place):
    small_files(place.source, MANY_FILES, WALK_FOLDERS, WALK_BYTES)


def make_nothing(place):
    place.target.mkdir()


# --- done before each run


def empty_target(place):
    shutil.rmtree(place.target, ignore_errors=True)
    place.target.mkdir()
    programs.run("fstrim", place.other.folder)  # an emulated disk lies in memory: this gives the memory of removed files back


def refill_trees(place, trees=TREES):
    for number in range(trees):
        small_files(place.target / f"{number}", MANY_FILES, MANY_FOLDERS, MANY_BYTES)


def refill_repository(place):
    """Makes a repository of loose objects. A repository whose run was ended before it had its pack only loses what that run had begun."""
    if any((place.target / ".git/objects/pack").glob("*.pack")) or not (place.target / ".git").exists():
        empty_target(place)
        small_files(place.target / "files", MANY_FILES, MANY_FOLDERS, MANY_BYTES)
        for command in (["init", "-q"], ["add", "files"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all"]):
            subprocess.run(["git", "-c", "gc.auto=0", *command], cwd=place.target, check=True)
    for path in (place.target / ".git/gc.pid", *(place.target / ".git/objects/pack").glob("tmp_*")):
        path.unlink(missing_ok=True)


# --- the commands, as the text of a shell script; $n is the folder of the round


def rsync(place, options):
    return f"rsync -a {options} {place.source}/ $n/"


def tar_c(place, _options):
    return f"tar cf $n/archive -C {place.source} ."


def tar_x(place, _options):
    return f"tar xf {place.source}/archive -C $n"


def cp(place, _options):
    return f"cp -r {place.source} $n/"


def rm(_place, _options):
    return "rm -rf [0-9]"


def git_gc(_place, _options):
    return "git gc -q"


def walk(place, _options):
    return f"find {place.source} -printf '%p %s %T@\\n'"


def stream(place, _options):
    return f"cat {place.source}/large*"


@dataclasses.dataclass
class Background:
    says: str
    prepare: Callable
    command: Callable  # makes the command from the place and further options of rsync
    begin: Callable = empty_target
    is_repeated: bool = True
    is_to_another_disk: bool = False
    needs: tuple = ()

    def lacks(self):
        return ", ".join(name for name in self.needs if not shutil.which(name))

    def script(self, place, options):
        """Runs until it is told to stop, or the disk is full, or the data that it works on is used up."""
        once = self.command(place, options)
        if not self.is_repeated:
            return once
        return f"n=0; while :; do mkdir $n; {once} || exit 1; n=$((n + 1)); {EVICTED % place.source}; done"

    def once(self, place):
        """Runs one round."""
        return f"n=0; mkdir -p $n; {self.command(place, '')}"


BACKGROUNDS = {
    "rsync": Background("`rsync -a` onto the same disk", make_backup_source, rsync, needs=("rsync",)),
    "rsync-other": Background("`rsync -a` onto another disk", make_backup_source, rsync, is_to_another_disk=True, needs=("rsync",)),
    "tar-c": Background("`tar c` of 20,000 files", make_many, tar_c, needs=("tar",)),
    "tar-x": Background("`tar x` of 20,000 files", make_archive, tar_x, needs=("tar",)),
    "cp": Background("`cp -r` of 20,000 files", make_many, cp),
    "rm": Background("`rm -rf` of 20,000 files and more", make_nothing, rm, refill_trees, is_repeated=False),
    "git-gc": Background("`git gc` of 20,000 loose objects", make_nothing, git_gc, refill_repository, is_repeated=False, needs=("git",)),
    "walk": Background("a walk over 4,000 folders, as updatedb does it", make_folders, walk, is_repeated=False),
}
STREAM = Background("a stream of reads", make_backup_source, stream)
# Backgrounds whose own speed is measured: one that reads and writes, and three that mostly work with names and inodes. A short background suffers most from giving way at
# intervals.
ALONE = {
    "rsync": BACKGROUNDS["rsync"],
    "tar-x": BACKGROUNDS["tar-x"],
    "tar-x-long": dataclasses.replace(BACKGROUNDS["tar-x"], says="`tar x` of 80,000 files", prepare=functools.partial(make_archive, files=4 * MANY_FILES)),
    "rm": dataclasses.replace(BACKGROUNDS["rm"], begin=functools.partial(refill_trees, trees=2)),
}
