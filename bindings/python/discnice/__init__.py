# SPDX-License-Identifier: MIT
"""discnice: holds the disk traffic of the programs that this process starts.

    with discnice.limit("5M") as held:
        subprocess.run(["rsync", "-a", "src/", "dst/"])
        subprocess.run(["tar", "cf", "dst.tar", "dst"])     # both share the 5 MiB a second
    print(held.report)

    discnice.limit(policy="nice")                           # without `with`: until close(), or the end of this process

Held are programs that are started while the limit is there, and all that they start, in any thread: subprocess, os.spawn, multiprocessing with "spawn". They share one budget. Data in memory is free.

Not held are this process itself; what it forks without starting a program (os.fork, multiprocessing with "fork" or a "forkserver" that ran before); programs that ran before; those started with an
environment of their own (`env=` without this process's variables); set-user-ID programs; and programs that do not use glibc's calls (static ones, musl, Go). For the last: subprocess.run(["discnice", "--rate", "5M", "--", ...]),
which holds them from outside.

How: discnice(1) makes the job and keeps it; its variables, LD_PRELOAD among them, are put into os.environ, and taken out again by close(). Other jobs' tools see it: `discnice status`, `discnice set`.
"""
from __future__ import annotations

import errno
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from types import TracebackType
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Type, Union

__all__ = ["Limit", "Report", "limit", "program"]

Rate = Union[str, int, float]

# Waits, in the job, to be told that it is over, so that the job lasts as long as the limit.
HOLDER = """printf '%s\\0' $$ "$LD_PRELOAD" "$ASAN_OPTIONS" "$DISCNICE_SEGMENT"; echo; read -r end"""
VARIABLES = ("LD_PRELOAD", "ASAN_OPTIONS", "DISCNICE_SEGMENT")
# The variables for use of the library without the launcher. They must not contradict the options of the job.
UNSET = ("DISCNICE_RATE", "DISCNICE_POLICY", "DISCNICE_LEDGER", "DISCNICE_BACKEND")
USAGE, TOOL_FAILED = 2, 125
END_WAIT_S = 20.0  # discnice waits ten seconds at the most for what was moved ahead of the rate
UNACCOUNTED_MIN_BYTES, UNACCOUNTED_BYTES_EACH = 1 << 20, 16 << 10
BLOCK_BYTES = 512  # of getrusage(2)


class Report(NamedTuple):
    """What the programs did that were started under a limit."""

    processes: int
    """How many were held."""
    read_bytes: int
    """Of the disk, as predicted from their calls."""
    write_bytes: int
    waited_s: float
    """Seconds that all of them waited together."""
    elapsed_s: float
    """Seconds that the limit was there."""
    still_running: int
    """Processes that were not over when it ended. They keep the limit."""
    kernel_bytes: int
    """Read and written by those of this process's children that have been waited for, as the kernel counts: forked ones as well."""
    unaccounted_bytes: int
    """Of these, what no call of a held process accounts for: moved by processes that are not held, or by page faults of those that are, who pay for them at their next call. 0 unless it is
    more than a megabyte."""
    messages: Tuple[str, ...]
    """What discnice said meanwhile: programs that could not be held, say."""

    def __str__(self) -> str:
        said = f"{self.processes} processes: read {self.read_bytes} and wrote {self.write_bytes} bytes of disk in {self.elapsed_s:.1f} s, waited {self.waited_s:.1f} s"
        return said + (f"; {self.unaccounted_bytes} bytes moved that no held call accounts for" if self.unaccounted_bytes else "")


def program() -> str:
    """The path of discnice: of the variable DISCNICE_PROGRAM, in this package, or on PATH. FileNotFoundError where there is none."""
    named = os.environ.get("DISCNICE_PROGRAM")
    bundled = pathlib.Path(__file__).parent / "bin" / "discnice"
    found = named or (str(bundled) if bundled.exists() else shutil.which("discnice"))
    if not found:
        raise FileNotFoundError(errno.ENOENT, "discnice is neither in this package nor on PATH: install the wheel of this system", "discnice")
    return found


def _children_bytes() -> int:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_inblock + used.ru_oublock) * BLOCK_BYTES


def _option(name: str, value: Rate) -> List[str]:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise TypeError(f"{name} has to be a text such as '5M', or a number of bytes a second, not {type(value).__name__}")
    return [f"--{name}", value if isinstance(value, str) else f"{value:.0f}"]


def _sentences(said: str) -> List[str]:
    """What discnice said, a line each, without its name and its hint for the command line."""
    lines = (line[len("discnice: "):] if line.startswith("discnice: ") else line for line in said.splitlines())
    return [line.replace(" Try 'discnice --help' for more information.", "") for line in lines]


_lock = threading.Lock()
_open: List["Limit"] = []  # the last one holds


class Limit:
    """A limit on what this process starts. Made by limit(); closed by close(), at the end of a `with`, or when this process ends."""

    def __init__(self, options: List[str]) -> None:
        self._owner = os.getpid()
        self.report: Optional[Report] = None
        """None until it is closed."""
        self._folder = tempfile.mkdtemp(prefix="discnice-")
        self._before: Dict[str, Optional[str]] = {}
        try:
            self._start(options)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    @property
    def pid(self) -> int:
        """A process of the job: `discnice set PID --rate 2M` changes it."""
        return self._holder_pid

    def _start(self, options: List[str]) -> None:
        self._bytes_before = _children_bytes()
        # A job is named after its program. This program only waits. It has no limit yet. With a limit it could write nothing before the reads of its start
        # are paid for.
        name = f"{self._folder}/{os.path.basename(sys.executable) or 'python'}"
        os.symlink("/bin/sh", name)
        command = [program(), "--json", "--report", f"{self._folder}/report", "--policy", "unlimited", "--", name, "-c", HOLDER]
        with open(f"{self._folder}/said", "wb") as said:
            # In a session of its own: Ctrl-C is for this process, which may go on.
            self._job = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, start_new_session=True)
        assert self._job.stdout is not None and self._job.stdin is not None
        first = self._job.stdout.readline()
        self._job.stdout.close()
        if not first.endswith(b"\n"):
            self._job.stdin.close()
            self._refuse(self._job.wait(), pathlib.Path(f"{self._folder}/said").read_text(errors="replace"))
        pid, *values = os.fsdecode(first[:-1]).split("\0")[:1 + len(VARIABLES)]
        self._holder_pid = int(pid)
        made = subprocess.run([program(), "set", pid, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            self._end()
            self._refuse(made.returncode, made.stderr)
        for name in (*VARIABLES, *UNSET):
            self._before[name] = os.environ.get(name)
        for name, value in zip(VARIABLES, values):
            if value:
                os.environ[name] = value
        for name in UNSET:
            os.environ.pop(name, None)

    def _refuse(self, status: int, said: str) -> None:
        text = " ".join(_sentences(said)) or f"discnice ended with status {status}"
        if status == USAGE:
            raise ValueError(text)
        raise OSError(errno.ENOTSUP if status == TOOL_FAILED else errno.EIO, text, program())

    def _end(self) -> None:
        assert self._job.stdin is not None
        self._job.stdin.close()
        try:
            self._job.wait(END_WAIT_S)
        except subprocess.TimeoutExpired:
            self._job.terminate()
            self._job.wait()

    def close(self) -> Optional[Report]:
        """Ends the limit for what is started from now on and returns the report. What still runs keeps it. A second call does nothing, and so does one in a forked child."""
        with _lock:
            if os.getpid() != self._owner or self not in _open:
                return self.report
            if _open[-1] is not self:
                raise RuntimeError("a limit that was set later is still there: close that one first")
            _open.pop()
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        # This is read before the job's own processes are waited for, and counted as children.
        kernel_bytes = _children_bytes() - self._bytes_before
        self._end()
        self.report = self._make_report(kernel_bytes)
        shutil.rmtree(self._folder, ignore_errors=True)
        return self.report

    def _make_report(self, kernel_bytes: int) -> Report:
        try:
            found: Dict[str, Any] = json.loads(pathlib.Path(f"{self._folder}/report").read_text())
        except (OSError, ValueError):
            found = {}
        processes = max(found.get("processes", 0) - 1, 0)  # the one that waits is none of theirs
        read_bytes, write_bytes = found.get("predicted_read_bytes", 0), found.get("predicted_write_bytes", 0)
        # A prediction may be too low. The bytes that calls moved belong to these processes in any case.
        calls_bytes = max(read_bytes + write_bytes, found.get("file_read_bytes", 0) + found.get("file_write_bytes", 0))
        unaccounted = kernel_bytes - calls_bytes
        if unaccounted <= UNACCOUNTED_MIN_BYTES + UNACCOUNTED_BYTES_EACH * processes:
            unaccounted = 0
        return Report(processes, read_bytes, write_bytes, found.get("slept_seconds", 0.0), found.get("elapsed_seconds", 0.0), found.get("still_running", 0),
                      kernel_bytes, unaccounted, tuple(_sentences(pathlib.Path(f"{self._folder}/said").read_text(errors="replace"))))

    def __enter__(self) -> "Limit":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<discnice.Limit, {'closed' if self.report else f'job of process {self._holder_pid}'}>"


def limit(rate: Optional[Rate] = None, *, policy: Optional[str] = None, read_rate: Optional[Rate] = None, write_rate: Optional[Rate] = None,
          min_rate: Optional[Rate] = None, cache: Optional[str] = None) -> Limit:
    """Holds what this process starts from now on; see the head of this module for what is held and what is not.

    rate: disk bytes a second for all of it together, read and written; read_rate, write_rate: of either alone. A text as discnice --rate takes it ("5M" is 5 MiB, "5MB" is 5,000,000 bytes,
    "40Mbit"), or a number of bytes. policy: "nice" gives way while others use the disk, "idle" and "manners" likewise; discnice(1) tells of all. Without a rate it is "nice". min_rate: what "idle" and
    "nice" get in any case. cache: "neutral" leaves the page cache as it was found.

    Takes some hundredths of a second. Changes os.environ, which is the whole process's: limits of several threads hold for each other's programs, too, and the one that was set last is to be closed
    first. A forked child inherits the variables, and cannot close the limit.

    ValueError: the words make no sense together. FileNotFoundError: there is no discnice. OSError: it cannot hold anything here, and says why.
    """
    options: List[str] = []
    for name, value in (("rate", rate), ("read-rate", read_rate), ("write-rate", write_rate), ("min-rate", min_rate)):
        if value is not None:
            options += _option(name, value)
    for name, word in (("policy", policy), ("cache", cache)):
        if word is not None:
            options += [f"--{name}", word]
    made = Limit(options or ["--policy", "nice"])
    with _lock:
        _open.append(made)
    return made
