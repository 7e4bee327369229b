# SPDX-License-Identifier: MIT
"""_order: the order in which files are best read, by the rules of gbp (tools/gbp/order.hpp), which the tests hold it against."""
from __future__ import annotations

import ctypes
import errno
import os
import stat
from typing import Dict, Iterable, List, Optional, Tuple, TypeVar

from . import _levels, _native
from ._cache import Detector
from ._native import Path
from ._params import Params, params

AnyPath = TypeVar("AnyPath", bound=Path)

MODES = ("mem", "file", "compose")
PLACES = ("auto", "extent", "inode", "mtime", "none")
AUTO, EXTENT, INODE, MTIME, NONE = range(5)

MUCH_BYTES = 4 << 20  # to read so much again takes as long as a few seeks
MISSING_SHARE_MAX = 0.125
CACHED_FRACTION_MIN = 0.5
CACHED_STEPS = 32  # a probe leaves a page behind, and a page more is no reason to change places
SAMPLE = 32  # so many files, evenly over the input, stand for all when it is asked whether there is anything to gain
WHOLE, MUCH, OTHERS, UNKNOWN = range(4)


class File:
    """One input, and what is known of it."""

    __slots__ = ("path", "name", "size", "device", "inode", "modified_ns", "extent", "fraction", "backend", "access_ns", "error", "place", "level")

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = _native.name_of(path)
        self.size = self.device = self.inode = self.modified_ns = self.level = 0
        self.extent: Optional[int] = None
        self.fraction, self.backend, self.access_ns = -1.0, "none", 0.0
        self.error = 0
        self.place = NONE

    @property
    def cached_bytes(self) -> float:
        return max(self.fraction, 0.0) * self.size

    @property
    def is_in_memory(self) -> bool:
        return self.fraction >= 0.5


class Look:
    """Looks at files one after the other."""

    def __init__(self, mode: str, backend: str, place: int, measured: Params) -> None:
        self.is_cache_wanted, self.is_layout_wanted = mode != "file", mode != "mem"
        self.detector = Detector(backend, may_probe=self.is_cache_wanted)
        self.place, self.measured = place, measured
        self.is_order_given_up = False
        self.advice: Dict[int, int] = {}

    def at(self, file: File) -> None:
        try:
            if not self.is_order_given_up:
                facts = self._note_facts(file)
                self._refuse_unreadable(facts)
                file.place = self._place_for(file)
                is_extent_wanted = self.is_layout_wanted and file.place == EXTENT
                if stat.S_ISREG(facts.st_mode) and (self.is_cache_wanted or is_extent_wanted):
                    self._look_inside(file, is_extent_wanted)
                    return
            if not os.access(file.name, os.R_OK, effective_ids=True):
                os.close(os.open(file.name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK))
                raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            file.error = error.errno or errno.EIO

    def give_up_order_if_worthless(self, files: List[File]) -> None:
        """Where each of a sample is cached throughout or lies where no order pays, none can gain anything and none is looked for."""
        for file in files[::max(len(files) // SAMPLE, 1)]:
            try:
                facts = self._note_facts(File(file.path))
                one = File(file.path)
                one.device = facts.st_dev
                if not self._is_whole(one, facts) and self._place_for(one) != NONE:
                    return
            except OSError:
                return
        self.is_order_given_up = True

    @staticmethod
    def _note_facts(file: File) -> os.stat_result:
        facts = os.stat(file.name)
        file.size = facts.st_size if stat.S_ISREG(facts.st_mode) else 0
        file.device, file.inode, file.modified_ns = facts.st_dev, facts.st_ino, facts.st_mtime_ns
        return facts

    def _refuse_unreadable(self, facts: os.stat_result) -> None:
        """A folder cannot be read as a file; a pipe or socket would hold up whoever opens it."""
        refused = 0
        if stat.S_ISDIR(facts.st_mode) and self.is_cache_wanted:
            refused = errno.EISDIR
        if stat.S_ISFIFO(facts.st_mode) or stat.S_ISSOCK(facts.st_mode):
            refused = errno.EOPNOTSUPP
        if refused:
            raise OSError(refused, os.strerror(refused))

    def _look_inside(self, file: File, is_extent_wanted: bool) -> None:
        fd = os.open(file.name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            if self.is_cache_wanted:
                self._look_at_cache(fd, file)
            if is_extent_wanted:
                place = _native.LayoutPlace()
                if _native.libgray().gb_layout_find_fd(fd, ctypes.byref(place)) == 0 and place.has_first_extent:
                    file.extent = place.first_extent_bytes
        finally:
            os.close(fd)

    def _look_at_cache(self, fd: int, file: File) -> None:
        report = self.detector.inspect(fd)
        file.fraction = ctypes.c_float(report.cached_fraction).value  # as gbp keeps it
        file.backend = _native.BACKENDS[report.backend]
        file.access_ns = float(report.access_time_ns)

    def _is_whole(self, file: File, facts: os.stat_result) -> bool:
        if not stat.S_ISREG(facts.st_mode):
            return False
        self._look_inside_for_cache(file)
        return (file.backend in ("auto", "cachestat", "mincore") or facts.st_size == 0) and file.fraction >= 1

    def _look_inside_for_cache(self, file: File) -> None:
        fd = os.open(file.name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            self._look_at_cache(fd, file)
        finally:
            os.close(fd)

    def _place_for(self, file: File) -> int:
        """The advice for a device is asked for once."""
        if self.place != AUTO:
            return self.place
        if file.device not in self.advice:
            order = ctypes.c_int(NONE)
            ratio = self.measured.get("disk.random_over_sequential")
            _native.libgray().gb_layout_advise(file.name, ratio.value if ratio and ratio.value >= 1 else 0, ctypes.byref(order))
            self.advice[file.device] = order.value
        return self.advice[file.device]


def _is_much_missing(files: List[File]) -> bool:
    known = [file for file in files if not file.error and file.fraction >= 0]
    size = sum(file.size for file in known)
    return size - sum(file.cached_bytes for file in known) > MISSING_SHARE_MAX * size


def _group_of(file: File, mode: str, is_much_missing: bool) -> int:
    if file.fraction < 0:
        return UNKNOWN
    if file.fraction >= 1:
        return WHOLE
    if mode == "compose" and file.fraction < CACHED_FRACTION_MIN:
        return OTHERS
    is_much = file.cached_bytes >= MUCH_BYTES or (is_much_missing and int(file.fraction * CACHED_STEPS) > 0)
    return MUCH if is_much else OTHERS


def _layout_key(file: File) -> Tuple[int, ...]:
    """Files of one device have one order."""
    if file.place == NONE:
        return (file.device,)
    if file.place == MTIME:
        return (file.device, file.modified_ns, file.inode)
    if file.place in (AUTO, EXTENT):
        return (file.device, file.extent is None, file.extent or 0, file.inode)
    return (file.device, file.inode)


def sort_files(files: List[File], mode: str) -> List[File]:
    """Ties keep the order of the input. Files of unknown content come behind the known ones, those that could not be looked at come last."""
    is_layout_known = mode != "mem" and any(not file.error and file.place != NONE for file in files)
    is_much_missing = _is_much_missing(files)

    def key(file: File) -> Tuple[object, ...]:
        if file.error:
            return (True,)
        layout = _layout_key(file) if is_layout_known else ()
        if mode == "file":
            return (False, layout)
        group = _group_of(file, mode, is_much_missing)
        steps = -int(file.fraction * CACHED_STEPS) if mode == "mem" and group == MUCH else 0
        return (False, group, 0 if group == WHOLE else file.level, steps, layout)

    return sorted(files, key=key)


def order(paths: Iterable[AnyPath], *, mode: str = "compose", backend: str = "auto", place: str = "auto", errors: str = "raise") -> List[AnyPath]:
    """The same paths in the order in which the files are best read: as gbp prints them.

    mode "compose": what is cached as a whole first, then that of which much is cached, then the rest, each as it lies on disk. "mem": by the cache alone. "file": as the
    files lie on disk alone. `place` says what "as it lies" means: "extent", "inode", "mtime" or "none"; "auto" takes what pays on each device, and on flash nothing does.
    `backend` is that of look().

    errors "raise": the first file that cannot be looked at is an OSError with errno and path. "last": such files come last, in the order of the input, for whoever reads
    them to be told what is wrong. A folder is EISDIR unless the mode is "file"; a pipe or socket is EOPNOTSUPP.

    The answer is about a moment that has passed: read soon, and ask again for the next pass. Takes some 30 microseconds a file. May wait for the disk for the files'
    metadata. Any number of threads; after os.fork(), too. ValueError for a bad argument.
    """
    _native.one_of("mode", mode, MODES)
    _native.one_of("errors", errors, ("raise", "last"))
    wanted = _native.one_of("place", place, PLACES)
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"paths has to be a list of paths, not one: [{paths!r}]")
    files = [File(path) for path in paths]
    if not files:
        return []
    look = Look(mode, backend, wanted, _measured_near(files[0]))
    if wanted == AUTO and mode == "file":
        look.give_up_order_if_worthless(files)
    for file in files:
        look.at(file)
        if file.error and errors == "raise":
            raise OSError(file.error, os.strerror(file.error), os.fspath(file.path))
    if look.is_cache_wanted:
        _levels.find(files, look.measured, backend)
    return [file.path for file in sort_files(files, mode)]  # type: ignore[misc]


def _measured_near(file: File) -> Params:
    """The host's figures for the device of the first file: a first one that is not there has none."""
    try:
        return params(file.path)
    except OSError:
        return params()
