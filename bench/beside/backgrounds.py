# SPDX-License-Identifier: MIT
"""backgrounds: the work that a foreground is beside: real programs on real trees, sized or repeated so that they outlive the foreground.

Each is made once a disk (prepare), brought back to its beginning before every run of it (begin), and is then the text of a shell script. A
round that reads again what is in memory by then is none: what it reads is evicted before each, by a process that is not covered.
"""
import dataclasses
import os
import pathlib
import shutil
import subprocess
from typing import Callable

import programs

LARGE_FILES, LARGE_BYTES = 4, 150_000_000
SMALL_FILES, SMALL_FOLDERS, SMALL_BYTES = 1500, 50, 8_000
MANY_FILES, MANY_FOLDERS, MANY_BYTES = 20_000, 200, 4_000
EVICTED = f"find %s -type f -exec env -u LD_PRELOAD '{programs.PAGECACHE}' evict {{}} +"


@dataclasses.dataclass
class Place:
    """Where a background works: its source on the foreground's disk, and what it writes on that or on another."""

    disk: object
    other: object

    @property
    def source(self):
        return self.disk.folder / "source"

    @property
    def target(self):
        return self.other.folder / "target"


def small_files(folder, files, folders, size):
    for number in range(files):
        place = folder / f"{number % folders:03}"
        if number < folders:
            place.mkdir(parents=True)
        (place / f"{number:05}").write_bytes(os.urandom(size))


def make_backup_source(place):
    place.source.mkdir()
    for number in range(LARGE_FILES):
        place.disk.file(f"source/large{number}", LARGE_BYTES)
    small_files(place.source / "small", SMALL_FILES, SMALL_FOLDERS, SMALL_BYTES)
    programs.run("sync", "-f", place.source)


def make_many(place):
    small_files(place.source, MANY_FILES, MANY_FOLDERS, MANY_BYTES)
    programs.run("sync", "-f", place.source)


def make_archive(place):
    place.source.mkdir()
    small_files(place.source / "tree", MANY_FILES, MANY_FOLDERS, MANY_BYTES)
    subprocess.run(["tar", "cf", place.source / "archive", "-C", place.source, "tree"], check=True)
    shutil.rmtree(place.source / "tree")
    programs.run("sync", "-f", place.source)


def empty_target(place):
    shutil.rmtree(place.target, ignore_errors=True)
    place.target.mkdir()
    programs.run("fstrim", place.other.folder)  # an emulated disk lies in memory: what was removed is given back


def rounds(command, reads):
    """Again and again into a folder of its own, $n, until told to stop or the disk is full."""
    return f"n=0; while :; do mkdir $n; {command} || exit 1; n=$((n + 1)); {EVICTED % reads}; done"


@dataclasses.dataclass
class Background:
    says: str
    prepare: Callable
    script: Callable  # of the place and of further options of rsync
    begin: Callable = empty_target
    is_to_another_disk: bool = False
    needs: tuple = ()

    def lacks(self):
        return [name for name in self.needs if not shutil.which(name)]


def rsync(place, options=""):
    return rounds(f"rsync -a {options} {place.source}/ $n/", place.source)


BACKGROUNDS = {
    "rsync": Background("`rsync -a` onto the same disk", make_backup_source, rsync, needs=("rsync",)),
    "rsync-other": Background("`rsync -a` onto another disk", make_backup_source, rsync, is_to_another_disk=True, needs=("rsync",)),
}

