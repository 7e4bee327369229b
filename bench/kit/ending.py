# SPDX-License-Identifier: MIT
"""ending: a benchmark in Python that is told to stop first ends all that it has started, also what is in a session of its own: only then are its
disks in nobody's use, and can go.

  ending.on_signals()          once, before anything is started
"""
import os
import signal
import sys

import leftovers


def on_signals():
    run = os.environ.setdefault("GRAY_BENCH_RUN", str(os.getpid()))

    def end(number, _frame):
        for other in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(other, signal.SIG_IGN)  # once is enough
        leftovers.end_processes(run)
        sys.exit(128 + number)

    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
