# SPDX-License-Identifier: MIT
"""_order: the order in which files are best read, which the library finds: it is gbp's."""
from __future__ import annotations

import ctypes
import os
from typing import Generator, Iterable, List, Tuple, TypeVar

from . import _native
from ._cache import Detector
from ._native import Path

AnyPath = TypeVar("AnyPath", bound=Path)

MODES = ("compose", "mem", "file")
PLACES = ("auto", "extent", "inode", "mtime", "none")


def _watch(raised: List[BaseException]) -> Generator[int, object, None]:
    """Lets Python see to its signals while the library looks at files. A signal's handler runs when this is resumed, and that is within the try: what it raises ends the call."""
    try:
        while True:
            yield 0
    except GeneratorExit:
        raise
    except BaseException as error:  # pylint: disable=broad-except
        raised.append(error)
    while True:
        yield 1


def _find(paths: List[AnyPath], options: _native.OrderOptions) -> List[Tuple[int, int]]:
    """The place of each file in `paths`, and its error or 0, in the best order."""
    library, handle, file = _native.libgray(), ctypes.c_void_p(), _native.OrderFile()
    names = (ctypes.c_char_p * max(len(paths), 1))(*(_native.name_of(path) for path in paths))
    raised: List[BaseException] = []
    watch = _watch(raised)
    next(watch)
    options.progress = _native.PROGRESS(watch.send)
    status = library.gb_order_find(names, len(paths), ctypes.byref(options), ctypes.byref(handle))
    try:
        if raised:
            raise raised[0]
        _native.check(status)
        found = []
        for rank in range(library.gb_order_count(handle)):
            _native.check(library.gb_order_at(handle, rank, ctypes.byref(file)))
            found.append((file.input, file.error))
        return found
    finally:
        library.gb_order_free(handle)


def order(paths: Iterable[AnyPath], *, mode: str = "compose", backend: str = "auto", place: str = "auto", errors: str = "raise") -> List[AnyPath]:
    """The same paths in the order in which the files are best read: as gbp prints them.

    mode "compose": what is cached as a whole first, then that of which much is cached, then the rest, each as it lies on disk. "mem": by the cache alone. "file": as the
    files lie on disk alone. `place` says what "as it lies" means: "extent", "inode", "mtime" or "none"; "auto" takes what pays on each device, and on flash nothing does.
    `backend` is that of look().

    errors "raise": the first file that cannot be looked at is an OSError with errno and path. "last": such files come last, in the order of the input, for whoever reads
    them to be told what is wrong. A folder is EISDIR unless the mode is "file"; a pipe or socket is EOPNOTSUPP.

    The answer is about a moment that has passed: read soon, and ask again for the next pass. Takes some microseconds a file. May wait for the disk for the files'
    metadata. Any number of threads; after os.fork(), too. ValueError for a bad argument.
    """
    _native.one_of("errors", errors, ("raise", "last"))
    options = _native.OrderOptions(mode=_native.one_of("mode", mode, MODES), order=_native.one_of("place", place, PLACES))
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"paths has to be a list of paths, not one: [{paths!r}]")
    inputs = list(paths)
    detector = Detector(backend, may_probe=mode != "file")
    options.detector = detector.handle
    found = _find(inputs, options)
    failed = min(((place, error) for place, error in found if error), default=None)
    if failed is not None and errors == "raise":
        raise _native.error_of(failed[1], os.fspath(inputs[failed[0]]))
    return [inputs[place] for place, _ in found]
