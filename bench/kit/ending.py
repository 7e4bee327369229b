# SPDX-License-Identifier: MIT
"""ending: when a benchmark in Python is told to stop, it first ends all programs that it has started, also those in a session of their own. Only then are
its disks no longer in use and can be removed.

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
