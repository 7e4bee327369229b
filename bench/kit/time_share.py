# SPDX-License-Identifier: MIT
"""time_share: as many turns as the time allows. script/bench --full gives each benchmark a number of seconds ($GRAY_BENCH_BUDGET_S); without that all turns run.

  SHARES = time_share.TimeShares({"rate": 3, "fsync": 1})      the parts to come, and the share of the time that each needs
  for turn in SHARES.turns("rate", 5): ...                     at most 5 turns, at least TURNS_MIN

Time that a part does not use goes to the later parts, and time beyond its share is taken from them.
"""
import os
import time

TURNS_MIN = 3


class TimeShares:
    """The time of one benchmark. It begins when the object is made."""

    def __init__(self, weights, budget_s=None):
        given = os.environ.get("GRAY_BENCH_BUDGET_S", "")
        self.budget_s = budget_s or (float(given) if given else None)
        self.weights = dict(weights)
        self.start = time.monotonic()

    def take(self, part):
        """The seconds for this part, which then no longer counts as a part to come; None when there is no limit."""
        weight = self.weights.pop(part, 1)
        if self.budget_s is None:
            return None
        left_s = self.start + self.budget_s - time.monotonic()
        return max(left_s, 0) * weight / (weight + sum(self.weights.values()))

    def turns(self, part, count, least=TURNS_MIN):
        """The numbers of the turns: `count` turns, or as many as fit into the part's share, but at least `least`."""
        share_s = self.take(part)
        start = last = time.monotonic()
        for turn in range(count):
            now = time.monotonic()
            if share_s is not None and turn >= least and now - start + now - last > share_s:
                print(f"   {part}: {turn} turns of {count}, its share of the time is used", flush=True)
                return
            last = now
            yield turn
