# SPDX-License-Identifier: MIT
"""_levels: in which store each file is now, by how long a first read takes: memory, flash, a disk, a server. By the rules of tools/gbp/levels.hpp.

With one device, and nothing timed, there is nothing to tell apart, and nothing is read or looked up.
"""
from __future__ import annotations

import ctypes
import os
import statistics
from typing import TYPE_CHECKING, Dict, List

from . import _device, _native
from ._cache import Detector, settings
from ._params import Params, params

if TYPE_CHECKING:
    from ._order import File

TIMED_READS = 3  # of a device of which nobody knows how long a read takes
TIMED_BYTES_MIN = 3 * 4096
HELD_UP = 4.0  # so many times the usual time: timed once more
USUAL_MIN = 8
HIT_NS = 500.0


def _time_miss(detector: Detector, file: "File") -> float:
    """Reads a page of a file that is not cached; 0 where that tells nothing."""
    try:
        fd = os.open(file.name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return 0.0
    try:
        report = detector.inspect(fd)
    except OSError:
        return 0.0
    finally:
        os.close(fd)
    return 0.0 if report.cached_fraction >= 0.5 else float(report.access_time_ns)


def _recorded(file: "File") -> float:
    """A server caches, too, so what was once measured there is not what its files will take."""
    if _device.is_served(file.name):
        return 0.0
    measured = params(file.path)
    for key in ("disk.miss_ns", "disk.random_read_ns"):
        if key in measured:
            return measured[key].value
    return 0.0


def _usual(missing: List["File"]) -> float:
    """How long a first read of what is missing on one device takes."""
    timed = [file.access_ns for file in missing if file.access_ns > 0]
    if timed:
        return statistics.median_low(timed)
    samples = [file for file in missing if file.size >= TIMED_BYTES_MIN][:TIMED_READS]
    if not samples:
        return 0.0
    recorded = _recorded(samples[0])
    if recorded:
        return recorded
    detector = Detector("timed")
    times = [time for time in (_time_miss(detector, file) for file in samples) if time > 0]
    return statistics.median_low(times) if times else 0.0


def _time_again(by_device: Dict[int, List["File"]]) -> None:
    """One that was held up by chance is not so twice."""
    detector = Detector("timed")
    for missing in by_device.values():
        timed = [file.access_ns for file in missing if file.access_ns > 0]
        if len(timed) < USUAL_MIN:
            continue
        limit = HELD_UP * statistics.median_low(timed)
        for file in missing:
            if file.access_ns > limit:
                time = _time_miss(detector, file)
                if time > 0:
                    file.access_ns = min(file.access_ns, time)


def _divide(files: List["File"], alike_ns: int) -> None:
    library, levels = _native.libgray(), ctypes.c_void_p()
    times = (ctypes.c_uint64 * len(files))(*(int(file.access_ns) for file in files))
    _native.check(library.gb_levels_find(times, len(files), alike_ns, ctypes.byref(levels)))
    try:
        count = library.gb_levels_count(levels)
        for file in files:
            file.level = library.gb_levels_of(levels, int(file.access_ns)) if file.access_ns > 0 and count else count
    finally:
        library.gb_levels_free(levels)


def find(files: List["File"], measured: Params, backend: str) -> None:
    """Sets `level` of each file that could be looked at, and `access_ns` where it was not timed."""
    good = [file for file in files if not file.error]
    by_device: Dict[int, List["File"]] = {}
    for file in good:
        if file.size and not file.is_in_memory:
            by_device.setdefault(file.device, []).append(file)
    is_timed = any(file.access_ns > 0 for missing in by_device.values() for file in missing)
    if not is_timed and len(by_device) < 2:
        return
    if is_timed:
        _time_again(by_device)
    usual = {device: _usual(missing) for device, missing in by_device.items()}
    hit_ns = measured["cache.hit_ns"].value if "cache.hit_ns" in measured else HIT_NS
    for file in good:
        if file.size and not file.access_ns:
            file.access_ns = hit_ns if file.is_in_memory else usual[file.device]
    _divide(good, settings(files[0].path).hit_time_max_ns)
