# SPDX-License-Identifier: MIT
"""_memory: as much memory as is really there, as a buffer.

The kernel gets the memory back as soon as a buffer is freed, or its end is cut off. Its addresses stay mapped, and read as zero, until the last array or memoryview over them is gone:
one that is used too late reads zeros, and never crashes the interpreter or shows somebody else's data.
"""
from __future__ import annotations

import ctypes
import mmap
import os
from types import TracebackType
from typing import Any, Iterator, Optional, Type

from . import _native

CACHES = ("share", "keep", "steal")
HUGE, CANARY, FILES = 1, 2, 4
FOR_EVER_MS = (1 << 64) - 1
MADV_DONTNEED = 4
BYTES_MAX = (1 << 63) - 1


class Byte(ctypes.Union):
    """An array of these says that it is of plain bytes, which memoryview understands; one of c_ubyte says more than that."""

    _fields_ = [("value", ctypes.c_ubyte)]


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return libc


class Grant:
    """One allocation of the library, freed once: when the last buffer and the last view over it are gone."""

    def __init__(self, address: int, size: int) -> None:
        self.address, self.size = address, size
        self.is_given_back = False
        self._free = _native.libgray().gb_free

    def give_back(self) -> None:
        if not self.is_given_back:
            self.is_given_back = True
            self.give_back_from(0)

    def give_back_from(self, start: int) -> None:
        """All whole pages from here on."""
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        if first < self.size:
            _libc().madvise(self.address + first, self.size - first, MADV_DONTNEED)

    def __del__(self) -> None:
        self._free(self.address)


class Buffer:
    """Memory that was there: takes part in the buffer protocol, so that numpy.frombuffer(buffer), memoryview(buffer) and readinto(buffer) work on it.

    It is writable, of unsigned bytes, begins at a page and reads as zero at first. len(buffer) is its size in bytes. In a `with` statement it is freed at the end. Any
    thread may use and free it. After os.fork() each process has its own copy to use and free.
    """

    _grant: Optional[Grant]
    _first: Grant  # of the buffer that alloc() returned: in a with statement it stands for those cut from it
    _length_: int

    @property
    def is_freed(self) -> bool:
        """Whether free() was called, or shrink(), which leaves another buffer."""
        return self._grant is None or self._grant.is_given_back

    def _live(self) -> Grant:
        if self._grant is None or self._grant.is_given_back:
            raise ValueError("this buffer was freed, or shrunk to another one: it cannot be used any more")
        return self._grant

    def __getitem__(self, place: Any) -> Any:
        self._live()
        return memoryview(self)[place]  # type: ignore[arg-type]

    def __setitem__(self, place: Any, value: Any) -> None:
        self._live()
        memoryview(self)[place] = value  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[int]:
        self._live()
        return iter(memoryview(self))  # type: ignore[arg-type]

    def shrink(self, size: int) -> "Buffer":
        """Gives back all but the first `size` bytes and returns the buffer that is left; this one is used no more.

            buffer = buffer.shrink(len(buffer) // 2)

        ValueError: `size` is 0 or more than there is.
        """
        grant = self._live()
        if not 1 <= _native.count("size", size) <= len(self):  # type: ignore[arg-type]
            raise ValueError(f"size is {size}, but has to be from 1 to {len(self)}, the bytes there are")  # type: ignore[arg-type]
        rest = _buffer(grant, size)
        grant.give_back_from(size)
        self._grant = None
        return rest

    def free(self) -> None:
        """Gives the memory back to the kernel. A second call does nothing.

        Arrays over it stay valid and read as zero; the library counts the memory as this process's until the last of them is gone.
        """
        if self._grant is not None:
            self._grant.give_back()

    def __enter__(self) -> "Buffer":
        self._live()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self._first.give_back()

    def __repr__(self) -> str:
        return "<gray.Buffer, freed>" if self.is_freed else f"<gray.Buffer of {len(self)} bytes>"  # type: ignore[arg-type]


def _buffer(grant: Grant, size: int) -> Buffer:
    """An array of ctypes is the only object with a buffer that a class in Python can be of, in all releases."""
    kind = type("Buffer", (Buffer, Byte * size), {"__module__": "gray", "__doc__": Buffer.__doc__, "_type_": Byte, "_length_": size})
    made: Any = kind.from_address(grant.address)  # type: ignore[attr-defined]
    made._grant = made._first = grant
    return made  # type: ignore[no-any-return]


def _options(cache: str, huge: bool, canary: bool, files: bool, margin: Optional[int], timeout: Optional[float]) -> _native.AllocOptions:
    made = _native.AllocOptions(cache=_native.one_of("cache", cache, CACHES), flags=HUGE * bool(huge) | CANARY * bool(canary) | FILES * bool(files))
    if margin is not None:
        made.margin_bytes = _native.count("margin", margin, 1)
    if timeout is None:
        made.timeout_ms = FOR_EVER_MS
    elif not timeout >= 0:
        raise ValueError(f"timeout is {timeout}, but has to be seconds from 0 on, or None to wait without end")
    else:
        made.timeout_ms = min(int(timeout * 1000), FOR_EVER_MS)
    return made


def _sizes(least: int, most: int, multiple: int) -> None:
    _native.count("min", least)
    _native.count("max", most, 1)
    _native.count("multiple", multiple, 1)
    if -(-least // multiple) > most // multiple:
        raise ValueError(f"there is no multiple of {multiple} bytes from min, {least}, to max, {most}")


def _raise(number: int, least: int) -> None:
    mac = os.environ.get("GRAY_MAC")
    if number == 22 and mac is not None:
        raise ValueError(f"GRAY_MAC is {mac!r}, which makes no sense: see gray_alloc(3)")
    raise OSError(number, f"{os.strerror(number)} (asked for at least {least} bytes)")


def alloc(min: int, max: int, multiple: int = 1, *, timeout: Optional[float] = 0, cache: str = "share", huge: bool = False, canary: bool = False,
          files: bool = False, margin: Optional[int] = None) -> Buffer:
    """As much memory as is really there: at least `min` and at most `max` bytes, a multiple of `multiple`. len() of the buffer says how much.

        with gray.alloc(100 << 20, 4 << 30, 8) as buffer:
            numbers = numpy.frombuffer(buffer, dtype="f8")

    What is granted was in memory when the call ended: to use it pages nobody out. Nothing is promised for later. Ask again for each phase, and free in between.

    timeout: seconds to wait for `min`, first come first served; 0 not at all, None without end. cache: what may be taken of the page cache, "share" (what was not used
    lately), "keep" (nothing) or "steal" (all). huge: joined into huge pages. canary: where there is no swap, a child process that is killed before anybody else takes
    as much first. files: the caller reads and writes files meanwhile, and a part is left to the page cache. margin: bytes kept free below each limit; None: the
    library's own.

    The caller owns the buffer. Any thread, any number at once.

    ValueError: the sizes make no sense. BlockingIOError (EAGAIN): `min` is not there now. TimeoutError (ETIMEDOUT): `timeout` passed before `min` was there. OSError
    with ENOMEM: a limit forbids `min` whatever others do; with ENODATA: nothing tells how much there is.
    """
    _sizes(min, max, multiple)
    options, got = _options(cache, huge, canary, files, margin, timeout), ctypes.c_size_t()
    ctypes.set_errno(0)
    address = _native.libgray().gb_alloc_with(min, max, multiple, ctypes.byref(got), ctypes.byref(options))
    if not address:
        _raise(ctypes.get_errno(), min)
    return _buffer(Grant(address, got.value), got.value)


def available(min: int = 0, max: int = BYTES_MAX, multiple: int = 1, *, cache: str = "share", files: bool = False, margin: Optional[int] = None) -> int:
    """How many bytes alloc() would be allowed now. Takes nothing, and so may say too much.

    Errors as of alloc(); OSError with ENODATA: the accounts of this host do not tell.
    """
    _sizes(min, max, multiple)
    options, found = _options(cache, False, False, files, margin, 0), ctypes.c_size_t()
    status = _native.libgray().gb_available(min, max, multiple, ctypes.byref(found), ctypes.byref(options))
    if status < 0:
        _raise(-status, min)
    return found.value
