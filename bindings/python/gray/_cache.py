# SPDX-License-Identifier: MIT
"""_cache: how much of a file is in the page cache, and in which order its parts are best read."""
from __future__ import annotations

import ctypes
import os
import threading
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

from . import _native
from ._native import Path


class Cached(NamedTuple):
    """What was found of one file."""

    fraction: Optional[float]
    """How much of it is cached, 0 to 1; None where that cannot be known."""
    size: int
    """Bytes of the file; 0 of what is no regular file."""
    confidence: float
    """1: the kernel counted; less: so sure do the probes make it; 0: unknown."""
    backend: str
    """Who answered: "cachestat", "mincore", "end", "nowait", "fault", "timed" or "none"."""
    access_ns: int
    """Nanoseconds that a first read took, where reads were timed; else 0."""


class Range(NamedTuple):
    """A part of a file, and what was found of it."""

    offset: int
    length: int
    cached: Optional[float]
    """How much of it is cached, 0 to 1; None where that cannot be known."""
    confidence: float
    backend: str


class Settings(NamedTuple):
    """What the library goes by on one file system, and from where it has that: "library" (its own), "record" (microbench) or "now" (just measured)."""

    prediction_unit: int
    """Bytes that one probe answers for."""
    prediction_unit_origin: str
    hit_time_max_ns: int
    """Nanoseconds; a slower timed read missed. 0: judged against a second read."""
    hit_time_origin: str
    access_unit: int
    """Bytes of a part, as ranges() divides a file."""
    access_unit_origin: str


def probes_path() -> Optional[bytes]:
    """Where this user's programs remember which pages are cached only because they were probed."""
    for variable in ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
        folder = os.environb.get(variable.encode(), b"")
        if folder.startswith(b"/"):
            return folder + b"/gbp-probes"
    home = os.environb.get(b"HOME", b"")
    return home + b"/.cache/gbp-probes" if home.startswith(b"/") else None


class Detector:
    """A detector of libgray. One thread at a time; holds no descriptor, so that after a fork both processes may go on with theirs."""

    def __init__(self, backend: str = "auto", may_probe: bool = True) -> None:
        self.handle = ctypes.c_void_p()
        options = _native.CacheOptions(backend=_native.one_of("backend", backend, _native.BACKENDS[:-1]))
        if may_probe:
            options.memory_path = probes_path()
        else:
            options.probe_budget_bytes = 1  # no page fits in
        _native.check(_native.libgray().gb_cache_open(ctypes.byref(options), ctypes.byref(self.handle)))

    def __del__(self) -> None:
        if self.handle:
            _native.libgray().gb_cache_close(self.handle)

    def inspect(self, fd: int, path: object = None) -> _native.CacheReport:
        report = _native.CacheReport()
        _native.check(_native.libgray().gb_cache_inspect_fd(self.handle, fd, ctypes.byref(report)), path)
        return report

    def settings(self, path: Path) -> _native.CacheSettings:
        settings = _native.CacheSettings()
        _native.check(_native.libgray().gb_cache_explain(self.handle, _native.name_of(path), ctypes.byref(settings)), path)
        return settings

    def plan(self, path: Path, options: _native.PlanOptions) -> List["Range"]:
        library, plan = _native.libgray(), ctypes.c_void_p()
        _native.check(library.gb_cache_plan_file(self.handle, _native.name_of(path), ctypes.byref(options), ctypes.byref(plan)), path)
        try:
            parts, unit = [], _native.CacheUnit()
            for rank in range(library.gb_cache_plan_count(plan)):
                _native.check(library.gb_cache_plan_unit(plan, rank, ctypes.byref(unit)), path)
                parts.append(Range(unit.offset_bytes, unit.length_bytes, known(unit.cached_fraction), unit.confidence, _native.BACKENDS[unit.backend]))
        finally:
            library.gb_cache_plan_free(plan)
        return parts


_of_thread = threading.local()


def detector_of_thread(backend: str) -> Detector:
    """Remembers what tells the truth on which device; a thread has its own for each backend."""
    detectors: Dict[str, Detector] = _of_thread.__dict__.setdefault("detectors", {})
    if backend not in detectors:
        detectors[backend] = Detector(backend)
    return detectors[backend]


def open_to_look(path: Path) -> int:
    _native.name_of(path)  # refuses what is no path before anything is opened
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)


def known(fraction: float) -> Optional[float]:
    return None if fraction < 0 else fraction


def look(file: Union[Path, int], *, backend: str = "auto") -> Cached:
    """Finds out how much of a file is in the page cache, and how sure that is.

    `file` is a path, or a descriptor that is open for reading, whose position is left alone. The kernel's own count is used where it is true. On files that one
    neither owns nor may write, and on overlay, a few pages are probed instead; a probe that misses brings one page in. The answer is about a moment that has passed.

    `backend` asks for one way of finding out: "auto" takes the first that permission and a self-test allow.

    Raises OSError with errno and path as os.stat and os.open do; ValueError for a bad argument. Any number of threads; after os.fork(), too.
    """
    detector = detector_of_thread(backend)
    fd = file if isinstance(file, int) else open_to_look(file)
    try:
        found = detector.inspect(fd, file)
    finally:
        if not isinstance(file, int):
            os.close(fd)
    return Cached(known(found.cached_fraction), found.size_bytes, found.confidence, _native.BACKENDS[found.backend], found.access_time_ns)


def cached(file: Union[Path, int], *, backend: str = "auto") -> Optional[float]:
    """How much of a file is in the page cache: 0.0 to 1.0, or None where that cannot be known.

    Unknown are what is no regular file, and files whose reads never are fast. An empty file is cached as a whole. Everything else as in look().
    """
    return look(file, backend=backend).fraction


def ranges(path: Path, *, unit: Optional[int] = None, record: int = 0, extents: Optional[Iterable[Tuple[int, int]]] = None,
           backend: str = "auto") -> List[Range]:
    """The parts of a file in the order in which they are best read, the cached ones first, with how much of each is cached.

    The file is divided into parts of `unit` bytes; without it as microbench measured the device, or else 20 MiB. With `record` no part ends within a record of so many
    bytes. `extents` are the parts themselves, each an offset and a length in bytes, in any order; what lies behind the end of the file is left out.

    What is no regular file has no parts. Raises OSError with errno and path, ValueError for a bad argument. May wait for the disk where pages are probed. Any number
    of threads; after os.fork(), too.
    """
    options = _native.PlanOptions(record_bytes=_native.count("record", record))
    if unit is not None:
        options.access_unit_bytes = _native.count("unit", unit, 1)
    if extents is not None:
        if unit is not None or record:
            raise ValueError("extents are the parts already: leave out unit and record")
        parts = [_native.Extent(_native.count("an extent's offset", offset), _native.count("an extent's length", length, 1)) for offset, length in extents]
        if not parts:
            return []
        options.extents = (_native.Extent * len(parts))(*parts)
        options.extent_count = len(parts)
    return detector_of_thread(backend).plan(path, options)


def settings(path: Path = ".") -> Settings:
    """What the library goes by for files on the file system of `path`, and where each figure comes from.

    Raises OSError with errno and path. Any number of threads.
    """
    os.stat(path)
    found = detector_of_thread("auto").settings(path)
    return Settings(found.prediction_unit_bytes, _native.ORIGINS[found.prediction_unit_origin], found.hit_time_max_ns,
                    _native.ORIGINS[found.hit_time_origin], found.access_unit_bytes, _native.ORIGINS[found.access_unit_origin])
