# SPDX-License-Identifier: MIT
"""_native: finds libgray.so, says how its functions are called, and turns what they return into Python's errors.

The library is the one that the variable GRAY_LIBRARY names, or else the one in this package, or else the system's. A call gives up the interpreter's lock, so other threads
go on while it waits for a disk.
"""
from __future__ import annotations

import ctypes
import functools
import operator
import os
import pathlib
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Union

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

SONAME = "libgray.so.0"

BACKENDS = ("auto", "cachestat", "mincore", "end", "nowait", "fault", "timed", "none")
ORIGINS = ("library", "caller", "record", "now")


class Sized(ctypes.Structure):
    """A structure of the library, which begins with its own size."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(size=ctypes.sizeof(self), **fields)


class CacheOptions(Sized):
    _fields_ = [("size", c_size_t), ("backend", c_uint32), ("probes_per_unit", c_uint32), ("prediction_unit_bytes", c_uint64), ("seed", c_uint64),
                ("hit_time_max_ns", c_uint64), ("probe_budget_bytes", c_uint64), ("memory_path", c_char_p)]


class CacheReport(Sized):
    _fields_ = [("size", c_size_t), ("size_bytes", c_uint64), ("cached_fraction", c_double), ("probe_time_ns", c_uint64), ("probes", c_uint32),
                ("backend", c_uint32), ("confidence", c_double), ("access_time_ns", c_uint64)]


class CacheSettings(Sized):
    _fields_ = [("size", c_size_t), ("prediction_unit_bytes", c_uint64), ("hit_time_max_ns", c_uint64), ("access_unit_bytes", c_uint64),
                ("prediction_unit_origin", c_uint32), ("hit_time_origin", c_uint32), ("access_unit_origin", c_uint32), ("reserved", c_uint32)]


class Extent(ctypes.Structure):
    _fields_ = [("offset_bytes", c_uint64), ("length_bytes", c_uint64)]


class PlanOptions(Sized):
    _fields_ = [("size", c_size_t), ("access_unit_bytes", c_uint64), ("record_bytes", c_uint64), ("extents", POINTER(Extent)), ("extent_count", c_size_t)]


class CacheUnit(Sized):
    _fields_ = [("size", c_size_t), ("offset_bytes", c_uint64), ("length_bytes", c_uint64), ("cached_fraction", c_double), ("confidence", c_double),
                ("probe_time_ns", c_uint64), ("probes", c_uint32), ("backend", c_uint32), ("access_time_ns", c_uint64)]


PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p)  # the number that follows is not looked at


class OrderOptions(Sized):
    _fields_ = [("size", c_size_t), ("mode", c_uint32), ("order", c_uint32), ("flags", c_uint32), ("reserved", c_uint32), ("detector", c_void_p),
                ("random_over_sequential", c_void_p), ("progress", PROGRESS), ("context", c_void_p)]


class OrderFile(Sized):
    _fields_ = [("size", c_size_t), ("input", c_size_t), ("error", c_int), ("backend", c_uint32), ("cached_fraction", c_double), ("confidence", c_double),
                ("cached_bytes", c_int64), ("size_bytes", c_uint64), ("access_time_ns", c_uint64), ("device", c_uint64), ("inode", c_uint64),
                ("first_extent_bytes", c_uint64), ("has_first_extent", c_uint32), ("order", c_uint32), ("level", c_uint32), ("is_cached", c_uint32),
                ("modified_ns", c_int64)]


class AllocOptions(Sized):
    _fields_ = [("size", c_size_t), ("cache", c_uint32), ("flags", c_uint32), ("margin_bytes", c_uint64), ("timeout_ms", c_uint64),
                ("signals_off", c_uint32), ("reserved", c_uint32)]


# Name: result, arguments.
FUNCTIONS = {
    "gb_version": (c_char_p, []),
    "gb_cache_open": (c_int, [POINTER(CacheOptions), POINTER(c_void_p)]),
    "gb_cache_close": (None, [c_void_p]),
    "gb_cache_inspect_fd": (c_int, [c_void_p, c_int, POINTER(CacheReport)]),
    "gb_cache_explain": (c_int, [c_void_p, c_char_p, POINTER(CacheSettings)]),
    "gb_cache_plan_file": (c_int, [c_void_p, c_char_p, POINTER(PlanOptions), POINTER(c_void_p)]),
    "gb_cache_plan_count": (c_size_t, [c_void_p]),
    "gb_cache_plan_unit": (c_int, [c_void_p, c_size_t, POINTER(CacheUnit)]),
    "gb_cache_plan_free": (None, [c_void_p]),
    "gb_order_find": (c_int, [POINTER(c_char_p), c_size_t, POINTER(OrderOptions), POINTER(c_void_p)]),
    "gb_order_count": (c_size_t, [c_void_p]),
    "gb_order_at": (c_int, [c_void_p, c_size_t, POINTER(OrderFile)]),
    "gb_order_free": (None, [c_void_p]),
    "gb_alloc_with": (c_void_p, [c_size_t, c_size_t, c_size_t, POINTER(c_size_t), POINTER(AllocOptions)]),
    "gb_available": (c_int, [c_size_t, c_size_t, c_size_t, POINTER(c_size_t), POINTER(AllocOptions)]),
    "gb_free": (c_int, [c_void_p]),
}


def place() -> str:
    """The path of the library, or its name where the system's is taken."""
    named = os.environ.get("GRAY_LIBRARY")
    if named:
        return named
    bundled = pathlib.Path(__file__).parent / "lib" / SONAME
    return str(bundled) if bundled.exists() else SONAME


@functools.lru_cache(maxsize=None)
def libgray() -> ctypes.CDLL:
    """libgray, loaded at the first call. ImportError where it cannot be."""
    try:
        loaded = ctypes.CDLL(place(), use_errno=True)
    except OSError as error:
        raise ImportError(f"libgray cannot be loaded ({error}): install the wheel of this system, or name the library in GRAY_LIBRARY") from error
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


def error_of(status: int, path: Any = None) -> OSError:
    """The error that a negative status stands for, of its own class: FileNotFoundError, PermissionError."""
    return OSError(-status, os.strerror(-status), path) if path is not None else OSError(-status, os.strerror(-status))


def check(status: int, path: Any = None) -> None:
    if status < 0:
        raise error_of(status, path)


def one_of(name: str, value: str, known: Any) -> int:
    """The number of a word; ValueError names those there are."""
    if value not in known:
        raise ValueError(f"{name} is {value!r}, but has to be one of {', '.join(known)}")
    return tuple(known).index(value)


def count(name: str, value: Any, least: int = 0) -> int:
    """An integer from `least` up that fits into the library's 64 bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} has to be an integer, not {type(value).__name__}") from None
    if not least <= number < 1 << 63:
        raise ValueError(f"{name} is {number}, but has to be from {least} to 2**63 - 1")
    return number


def name_of(path: Path) -> bytes:
    """The path as the kernel takes it."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"a path cannot hold a NUL: {path!r}")
    return name
