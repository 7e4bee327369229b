# SPDX-License-Identifier: MIT
"""faults: how long a call waits when a part of the job breaks."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import rows as kit
from programs import BUILD, MB, held, run, scratch
from setting import SHARES

# Reads 64 KiB again and again, bypasses the page cache, and prints the longest time between two answers, in seconds, and the number of answers.
READER = """
import mmap, os, sys, time
fd, end = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), time.monotonic() + float(sys.argv[2])
buffer, last, longest, answers = mmap.mmap(-1, 65536), time.monotonic(), 0, 0
while last < end:
    os.preadv(fd, [buffer], answers % 100 * 65536)
    now = time.monotonic()
    last, longest, answers = now, max(longest, now - last), answers + 1
print(longest, answers, flush=True)
"""
FAULT_RATE, FAULT_AFTER_S, FAULT_S = 8 * MB, 1.0, 3.0


def segments():
    return {path for path in pathlib.Path("/dev/shm").glob("discnice-*") if re.fullmatch(r"discnice-\d+-\d+-\d+", path.name)}


def corrupt(segment):
    with open(segment, "r+b") as stream:
        for at in range(0, 8192, 8):
            stream.seek(at)
            byte = stream.read(1)
            stream.seek(at)
            stream.write(bytes([byte[0] ^ 255]))
            stream.flush()


def longest_wait(path, break_it, options=()):
    """The longest time between answers, in seconds, for a reader in a job to which break_it(launcher, its other member, its segment) happens meanwhile."""
    known = segments()
    script = f'dd if={path} of=/dev/null bs=256k iflag=direct 2>/dev/null & echo $!; exec {sys.executable} -c "$READER" {path} {FAULT_AFTER_S + FAULT_S}'
    launcher = subprocess.Popen([*held("--rate", f"{FAULT_RATE // MB}MB", *options), "sh", "-c", script], env={**os.environ, "READER": READER},
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    member = int(launcher.stdout.readline())
    time.sleep(FAULT_AFTER_S)
    for segment in segments() - known:
        if f"-{launcher.pid}-" in segment.name:  # there may be jobs of others
            break_it(launcher, member, segment)
    longest, answers = launcher.stdout.readline().split()
    for pid in (member, launcher.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    launcher.wait()
    for segment in segments() - known:
        if f"-{launcher.pid}-" in segment.name:
            segment.unlink(missing_ok=True)
    return float(longest), int(answers)


FAULTS = {"nothing": lambda *_: None, "member killed": lambda launcher, member, segment: os.kill(member, signal.SIGKILL),
          "member stopped": lambda launcher, member, segment: os.kill(member, signal.SIGSTOP),
          "launcher killed": lambda launcher, member, segment: launcher.kill(),
          "segment cut to nothing": lambda launcher, member, segment: os.truncate(segment, 0),
          "segment cut to a page": lambda launcher, member, segment: os.truncate(segment, 4096),
          "segment's bytes changed": lambda launcher, member, segment: corrupt(segment)}


class Daemon:
    """Starts discnice-policyd."""

    def __init__(self, config):
        self.config, self.process = config, None

    def start(self):
        self.process = subprocess.Popen([BUILD / "bin/discnice-policyd", "--config", self.config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.3)

    def end(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.end()
        time.sleep(0.5)
        self.start()

    def faults(self):
        return {"daemon killed": lambda *_: self.process.kill(), "daemon stopped": lambda *_: self.process.send_signal(signal.SIGSTOP),
                "daemon restarted": lambda *_: self.restart()}


def part():
    SHARES.take("faults")
    waits = {}

    def take(name, break_it, options=()):
        waits[name], answers = longest_wait(path, break_it, options)
        print(f"{name:24} longest wait {waits[name]:.3f} s of {answers} calls", flush=True)

    with scratch() as work:
        path, daemon = work / "file", Daemon(work / "policyd.conf")
        run("dd", "if=/dev/urandom", f"of={path}", "bs=1M", "count=256", "conv=fsync")
        daemon.config.write_text(f"total = {FAULT_RATE // MB}MB\n")
        for name, break_it in FAULTS.items():
            take(name, break_it)
        for name, break_it in daemon.faults().items():
            daemon.start()
            take(name, break_it, ("--policy", "share"))
            daemon.end()
        storm = subprocess.run([*held("--rate", "100MB"), BUILD / "tests/bin/fork_storm", path, "800"], check=True, capture_output=True, text=True).stdout
        waits["fork storm"] = float(storm) / 1000
    worst = max(waits, key=waits.get)
    kit.row("throttle/fault-hang", [waits[worst]], note=f"{worst}; {len(waits) - 1} faults, {waits['nothing']:.3f} s without any")
