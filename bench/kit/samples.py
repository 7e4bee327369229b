# SPDX-License-Identifier: MIT
"""samples: statistics over the turns of a measurement.

  samples.interval(times)            (median, low, high), as a row has them
  samples.spread(times, "{:.1f}")    "12.0 (11.5 to 14.2)": the median and the extremes, for people
  samples.ratios(times, others)      the quotients, turn by turn
"""
import math
import statistics

EXTREMES_UP_TO = 5


def interval(samples):
    """With up to five samples low and high are the extremes, with more the order statistics that contain the median 95 times in 100."""
    ordered = sorted(samples)
    count = len(ordered)
    if count <= EXTREMES_UP_TO:
        return statistics.median(ordered), ordered[0], ordered[-1]
    # The smallest rank whose pair of order statistics contains the median 95 times in 100.
    rank, tail = 0, 0.0
    for below in range(count // 2):
        tail += math.comb(count, below) / 2 ** count
        if 2 * tail > 0.05:
            break
        rank = below + 1
    rank = max(rank - 1, 0)
    return statistics.median(ordered), ordered[rank], ordered[count - 1 - rank]


def spread(samples, form="{:.3f}"):
    """None stands for a turn without a figure. A single figure has no extremes."""
    figures = [figure for figure in samples if figure is not None]
    if not figures:
        return "-"
    median = form.format(statistics.median(figures))
    return median if len(figures) == 1 else f"{median} ({form.format(min(figures))} to {form.format(max(figures))})"


def ratios(dividends, divisors):
    return [dividend / divisor for dividend, divisor in zip(dividends, divisors)]
