# SPDX-License-Identifier: MIT
"""gray: what the kernel won't let a program ask for: which files are cached, where they lie, how much memory is there.

    import gray
    for path in gray.order(paths): ...            # cached ones first, then as they lie on disk
    gray.cached("big.log")                        # 0.0 to 1.0, or None
    gray.ranges("big.log")                        # the parts of one file, the cached ones first
    with gray.alloc(100 << 20, 4 << 30) as memory: numpy.frombuffer(memory, dtype="u1")
    gray.params()["disk.miss_ns"].value           # what microbench measured of this host

Sizes are bytes, shares 0 to 1. A system error is an OSError with errno and path; a bad argument is a ValueError. Linux and glibc alone.
"""
from __future__ import annotations

from ._cache import Cached, Range, Settings, cached, look, ranges, settings
from ._native import libgray, place
from ._memory import Buffer, alloc, available
from ._order import order
from ._params import Parameter, Params, params

__all__ = ["Buffer", "Cached", "Parameter", "Params", "Range", "Settings", "alloc", "available", "cached", "library_path", "look", "order", "params", "ranges",
           "settings", "version"]


def version() -> str:
    """The version of the library that is running, MAJOR.MINOR.PATCH."""
    return str(libgray().gb_version().decode())


def library_path() -> str:
    """Which libgray is used: a path, or a name that the system's loader finds."""
    return place()
