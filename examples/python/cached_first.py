# SPDX-License-Identifier: MIT
"""cached_first: an order of samples for training, epoch after epoch, over a data set that is a little larger than memory.

    sampler = CachedFirstSampler(paths)                     # one file a sample; or (path, offset, length) of a part of one
    for epoch in range(5):
        for index in sampler: ...                           # each index once, in another order each time
    loader = torch.utils.data.DataLoader(dataset, batch_size=64, sampler=sampler, num_workers=4)

A shuffled epoch reads much of such a set from disk: when a sample's turn comes, others may have pushed it out. This sampler first gives out what the last epoch has left in memory, in random order,
and then the rest, in random order. It asks the kernel to fetch each missing sample shortly before its turn: the sample and no more, where a fault in a mapped file would bring its neighbours, too.

Knowledge assumed: the kernel evicts what was used longest ago, and what was used once before what was used twice. Output observed: how much of each sample is cached (gray), at the start
of an epoch, and again just before its window comes. Inferred: which samples can be had without the disk; one that was evicted meanwhile waits, because to fetch it would push out the
next. What breaks it: others who fill the cache; files of which nobody can tell what is cached, for then nothing is; a set that lies on a disk faster than it is to ask.

What it does to randomness: within the cached part and within the rest each order is as likely as any other, and each epoch has its own. But what was in memory comes before what was
not, so the half of an epoch in which a sample comes hangs on the last epoch. `script/bench loader` measures both. It needs nothing of torch: a sampler is what has __iter__ and __len__.
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

MOSTLY = 0.5  # of a sample; from there on it is read among the cached ones, behind the whole ones
AHEAD_BYTES = 4 << 20  # of missing samples are on their way: more would push out what is still to be read
LOOK_AT = 4096  # samples at a time, so that what is found of them takes little memory
FETCH_BYTES = 128 << 10  # the kernel takes no more than its read-ahead window from one request


def place_of(sample: Sample) -> Tuple[FilePath, int, int]:
    """A length of 0 is all that follows."""
    return sample if isinstance(sample, tuple) else (sample, 0, 0)


def fetch(sample: Sample) -> int:
    """Asks the kernel to bring a sample in, without waiting. Returns its bytes; a file that cannot be opened is left to whoever reads it."""
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
    """The same indexes; each sample is asked for shortly before its turn."""
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
    """Gives the index of each sample once an epoch.

    window: so many cached samples are looked at once more, just before they are given out. seed: for an order that can be had again, as far as the cache is the same.
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
        """How much of each of these samples is in memory; 0 where nobody knows."""
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
        for path, by_place in parts.items():  # one question a file
            with contextlib.suppress(OSError):
                for part in gray.ranges(path, extents=by_place):
                    for index in by_place.get((part.offset, part.length), ()):
                        found[index] = part.cached or 0.0
        return found

    def shuffled(self, indexes: "array.array[int]") -> "array.array[int]":
        self.random.shuffle(indexes)
        return indexes

    def __iter__(self) -> Iterator[int]:
        whole, mostly, missing = array.array("L"), array.array("L"), array.array("L")  # millions of samples are ordinary
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
