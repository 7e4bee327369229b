# SPDX-License-Identifier: MIT
"""job: runs a background in one of the ways, from its beginning to the end of the block.

  with job.Job(background, place, way) as working: ...; working.is_running()
"""
import contextlib
import time

import control_groups
import peers
import programs
import session

LEAD_S = 2.0  # from the job's beginning until the foreground comes


class Job:
    def __init__(self, background, place, way, lead_s=LEAD_S):
        self.background, self.place, self.way, self.lead_s = background, place, way, lead_s
        self.ending, self.session = contextlib.ExitStack(), None

    def command(self):
        script = self.background.script(self.place, self.way.rsync_options)
        command = [*self.way.prefix, "sh", "-c", script]
        if not self.way.is_capped:
            return command
        numbers = {self.place.disk.number, self.place.other.number}
        return self.ending.enter_context(control_groups.Cap(numbers, peers.CAP_BYTES, peers.CAP_BYTES)).command(command)

    def __enter__(self):
        """Restores the state before the first run, on the disks, and drops everything from memory."""
        self.background.begin(self.place)
        for disk in {self.place.disk, self.place.other}:
            programs.run("sync", "-f", disk.folder)
            disk.remount()
            disk.set_scheduler(self.way.scheduler)
        time.sleep(self.place.disk.settle_s)
        if not self.way.is_nobody:
            self.session = self.ending.enter_context(session.Session(self.command(), cwd=self.place.target))
        time.sleep(self.lead_s)  # also without a job: a file system that was just mounted has something to write
        return self

    def is_running(self):
        return self.session is None or self.session.is_running()

    def __exit__(self, *_):
        self.ending.close()
