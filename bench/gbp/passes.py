# SPDX-License-Identifier: MIT
"""passes: scans a set again and again in a cache of known size, and measures the bytes that each scan reads."""
import mmap
import pathlib
import re

from options import TURNS
from setting import CACHE, MIB, SHARES, drop_caches, say
import time_share

HOST_TAKES_MAX = 0.04  # the largest part of the cache that the host may reclaim in one pass


def bytes_evicted():
    """The file pages that the kernel has freed since its start because memory was short. Pages that a host reclaims in other ways are not among them."""
    return int(re.search(r"^pgsteal_file (\d+)$", pathlib.Path("/proc/vmstat").read_text(), re.MULTILINE).group(1)) * mmap.PAGESIZE


def passes(part, group, command, disk, settle, before=None, count=TURNS):
    """Returns [(seconds, bytes read)] for each pass after the settling passes, starting with an empty cache.

    Read pages that are neither in the cache nor were evicted because of the limit have been reclaimed by the host, which takes idle page cache. After that a fixed
    order keeps a part of the set in the cache for many passes (0.2 to 0.9 of the set read instead of 1.00, seen after 14 % taken; up to 3 % made no difference).
    So after more than HOST_TAKES_MAX in one pass all passes begin anew, in every way that is measured, except where the program drops pages itself
    (gbp -out, gb-fastsort): there the host's part cannot be told."""
    runs, every = [[]], []
    drop_caches()
    for _ in SHARES.turns(part, 3 * (settle + count), settle + time_share.TURNS_MIN):
        if before:
            group.run(before)
        start, cached, evicted = disk.moved()[0], group.cache_bytes(), bytes_evicted()
        took = group.read_phase(command) if before else group.run(command)
        read = disk.moved()[0] - start
        every.append((took, read))
        taken = read - (group.cache_bytes() - cached) - (bytes_evicted() - evicted)
        if taken > HOST_TAKES_MAX * CACHE and not re.search("-out|fastsort", command):
            say(f"   {part}: the host took {taken / MIB:.0f} MiB of the cache back, begun anew after {len(runs[-1])} passes")
            runs.append([])
            drop_caches()
            continue
        runs[-1].append(every[-1])
        if len(runs[-1]) == settle + count:
            break
    longest = max(runs, key=len)
    if len(longest) <= settle:
        say(f"   {part}: the host takes page cache back all the time, these passes are as they were")
        return every[settle:]
    return longest[settle:]
