# SPDX-License-Identifier: MIT
"""job: a background at work in one of the ways, from its beginning to the end of the block.

  with job.Job(background, place, way) as working: ...; working.is_running()
"""
import contextlib
import os
import signal
import subprocess
import time

import blkio_cap
import peers
import programs

LEAD_S, END_S = 2.0, 10.0


class Job:
    def __init__(self, background, place, way, lead_s=LEAD_S):
        self.background, self.place, self.way, self.lead_s = background, place, way, lead_s
        self.process = self.group = None

    def command(self):
        script = self.background.script(self.place, self.way.rsync_options)
        command = [*self.way.prefix, "sh", "-c", script]
        if not self.way.is_capped:
            return command
        disks = {self.place.disk, self.place.other}
        self.group = blkio_cap.Group(list(disks), peers.CAP_BYTES, ("read", "write"))
        return self.group.command(command)

    def __enter__(self):
        """Everything is as before its first run, on the disks, and nothing of it in memory."""
        self.background.begin(self.place)
        for disk in {self.place.disk, self.place.other}:
            programs.run("sync", "-f", disk.folder)
            disk.remount()
            disk.set_scheduler(self.way.scheduler)
        time.sleep(self.place.disk.settle_s)
        if not self.way.is_nobody:
            self.process = subprocess.Popen(self.command(), cwd=self.place.target, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(self.lead_s)  # with nobody there, too: a file system just mounted has something to write
        return self

    def is_running(self):
        return self.way.is_nobody or self.process.poll() is None

    def __exit__(self, *_):
        """Nothing of it runs any more: a disk in use could not be remounted."""
        if self.process:
            until = time.monotonic() + END_S
            while has_members(self.process.pid):
                self.signal(signal.SIGTERM if time.monotonic() < until else signal.SIGKILL)
                self.process.poll()
                time.sleep(0.1)
        if self.group:
            self.group.close()

    def signal(self, number):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


def has_members(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
