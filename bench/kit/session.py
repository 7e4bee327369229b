# SPDX-License-Identifier: MIT
"""session: runs a command in a session of its own until the block ends. Then no process of it is left, because a disk in use could not be remounted.

  with session.Session(command, cwd=folder) as working: ...; working.is_running()
"""
import contextlib
import os
import signal
import subprocess
import time

END_S = 10.0


class Session:
    """The command's output is discarded."""

    def __init__(self, command, **more):
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, **more)

    def __enter__(self):
        return self

    def is_running(self):
        return self.process.poll() is None

    def __exit__(self, *_):
        """Ends the command and all processes that it has started: asks first, and kills after END_S."""
        until = time.monotonic() + END_S
        while self.signal(signal.SIGTERM if time.monotonic() < until else signal.SIGKILL):
            self.process.poll()
            time.sleep(0.05)

    def signal(self, number):
        """Returns False when no process is left to get the signal."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
            return True
        return False
