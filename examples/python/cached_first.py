# SPDX-License-Identifier: MIT
"""cached_first: an order of training samples for each epoch, for a data set that is a little larger than memory.

    sampler = CachedFirstSampler(paths)                     # a sample is a file, or (path, offset, length) for a part of a file
    for epoch in range(5):
        for index in sampler: ...                           # each index once, in a different order each time
    loader = torch.utils.data.DataLoader(dataset, batch_size=64, sampler=sampler, num_workers=4)

A shuffled epoch reads much of such a set from disk: other samples may have pushed a sample out before its turn. This sampler first gives out the samples that the last epoch has left in memory,
in random order, and then the rest, in random order. It asks the kernel to fetch each missing sample shortly before its turn. The request covers only the sample; a fault in a mapped file would
also fetch its neighbours.

Knowledge assumed: the kernel evicts the pages that were used longest ago, and pages used once before pages used twice. Output observed: how much of each sample is cached (gray), at the start
of an epoch, and again just before its window comes. Inferred: which samples can be read without the disk. A sample that was evicted in the meantime waits, because fetching it would push out the
next sample. What breaks it: other programs that fill the cache; files whose cached share is not known, which count as not cached; a disk that is faster than asking for the cached shares.

Effect on randomness: within the cached samples and within the rest, each order is equally likely, and each epoch has a new order. But cached samples come before the others, so the half of an
epoch in which a sample comes depends on the last epoch. `script/bench loader` measures both. The sampler needs nothing from torch: it only has __iter__ and __len__.
"""
from __future__ import annotations

import array
import collections
import contextlib
import os
import random
from typing import Deque, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import gray

FilePath = Union[str, "os.PathLike[str]"]
Sample = Union[FilePath, Tuple[FilePath, int, int]]

MOSTLY = 0.5  # the share from which a sample is read among the cached samples, behind the wholly cached ones
AHEAD_BYTES = 4 << 20  # of missing samples that are requested ahead: more would push out samples that are still to be read
LOOK_AT = 4096  # samples examined at a time, so that the results take little memory
FETCH_BYTES = 128 << 10  # the kernel takes no more than its read-ahead window from one request


def place_of(sample: Sample) -> Tuple[FilePath, int, int]:
    """The sample as (path, start, length). A length of 0 means up to the end of the file."""
    return sample if isinstance(sample, tuple) else (sample, 0, 0)


def fetch(sample: Sample) -> int:
    """Asks the kernel to fetch a sample, without waiting. Returns its size in bytes; 0 for a file that cannot be opened, whose error the reader of the sample will see."""
    path, start, length = place_of(sample)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        end = start + length if length else os.fstat(fd).st_size
        for at in range(start, end, FETCH_BYTES):
            os.posix_fadvise(fd, at, min(FETCH_BYTES, end - at), os.POSIX_FADV_WILLNEED)
        return end - start
    finally:
        os.close(fd)


def fetched_ahead(samples: Sequence[Sample], order: Iterable[int]) -> Iterator[int]:
    """Gives the same indexes in the same order; each sample is requested shortly before its turn."""
    waiting: Deque[Tuple[int, int]] = collections.deque()
    ahead = 0
    for index in order:
        waiting.append((index, fetch(samples[index])))
        ahead += waiting[-1][1]
        while ahead > AHEAD_BYTES:
            first, size = waiting.popleft()
            ahead -= size
            yield first
    for first, _ in waiting:
        yield first


class CachedFirstSampler:
    """Gives the index of each sample once in an epoch.

    window: the number of cached samples that are examined again together, just before they are given out. seed: makes the order repeatable, if the cache is in the same state.
    """

    def __init__(self, samples: Sequence[Sample], *, window: int = 256, seed: Optional[int] = None) -> None:
        if window < 1:
            raise ValueError(f"window is {window}, but has to be 1 or more")
        self.samples = samples
        self.window = window
        self.random = random.Random(seed)

    def __len__(self) -> int:
        return len(self.samples)

    def shares(self, indexes: Iterable[int]) -> Dict[int, float]:
        """How much of each of these samples is in memory; 0 if that is not known."""
        found: Dict[int, float] = {}
        parts: Dict[FilePath, Dict[Tuple[int, int], List[int]]] = {}
        for index in indexes:
            sample = self.samples[index]
            found[index] = 0.0
            if isinstance(sample, tuple):
                parts.setdefault(sample[0], {}).setdefault(sample[1:], []).append(index)
                continue
            with contextlib.suppress(OSError):
                found[index] = gray.cached(sample) or 0.0
        for path, by_place in parts.items():  # one query for each file
            with contextlib.suppress(OSError):
                for part in gray.ranges(path, extents=by_place):
                    for index in by_place.get((part.offset, part.length), ()):
                        found[index] = part.cached or 0.0
        return found

    def shuffled(self, indexes: "array.array[int]") -> "array.array[int]":
        self.random.shuffle(indexes)
        return indexes

    def __iter__(self) -> Iterator[int]:
        whole, mostly, missing = array.array("L"), array.array("L"), array.array("L")  # compact, because there may be millions of samples
        for start in range(0, len(self), LOOK_AT):
            for index, share in self.shares(range(start, min(start + LOOK_AT, len(self)))).items():
                (whole if share >= 1 else mostly if share >= MOSTLY else missing).append(index)
        hopeful = self.shuffled(whole) + self.shuffled(mostly)
        for start in range(0, len(hopeful), self.window):
            now = self.shares(hopeful[start:start + self.window])
            missing.extend(index for index, share in now.items() if share < MOSTLY)
            yield from (index for index, share in now.items() if share >= 1)
            yield from fetched_ahead(self.samples, [index for index, share in now.items() if MOSTLY <= share < 1])
        yield from fetched_ahead(self.samples, self.shuffled(missing))
