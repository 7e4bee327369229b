# SPDX-License-Identifier: MIT
"""sampler: samples a growing sum of bytes while something runs.

  with sampler.Sampler(look) as found: ...
  found.worst_second(), found.samples

`look` returns the sum, or None when there is nothing left to look at. It is called every 20 ms, in a thread.
"""
import threading
import time

PERIOD_S = 0.02


def worst_second(samples):
    """The most bytes within any second."""
    worst, first = 0, 0
    for now, moved in samples:
        while now - samples[first][0] > 1.0:
            first += 1
        worst = max(worst, moved - samples[first][1])
    return worst


class Sampler:
    """Samples until there is nothing left to look at, or the block ends."""

    def __init__(self, look):
        self.look, self.samples, self.is_over = look, [], False
        self.thread = threading.Thread(target=self.sample)

    def sample(self):
        while not self.is_over:
            now, moved = time.monotonic(), self.look()
            if moved is None:
                return
            self.samples.append((now, moved))
            time.sleep(PERIOD_S)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()

    def worst_second(self):
        return worst_second(self.samples)
