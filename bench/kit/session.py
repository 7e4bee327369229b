# SPDX-License-Identifier: MIT
"""session: a command at work in a session of its own until the block ends. Then nothing of it runs any more: a disk in use could not be remounted.

  with session.Session(command, cwd=folder) as working: ...; working.is_running()
"""
import contextlib
import os
import signal
import subprocess
import time

END_S = 10.0


class Session:
    """Its output is dropped."""

    def __init__(self, command, **more):
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, **more)

    def __enter__(self):
        return self

    def is_running(self):
        return self.process.poll() is None

    def __exit__(self, *_):
        """What it has started ends with it, too: asked first, killed after END_S."""
        until = time.monotonic() + END_S
        while self.signal(signal.SIGTERM if time.monotonic() < until else signal.SIGKILL):
            self.process.poll()
            time.sleep(0.05)

    def signal(self, number):
        """False where nobody is left to get it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
            return True
        return False
