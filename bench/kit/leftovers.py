#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""leftovers: finds and removes the processes, disks, groups and files that a run of benchmarks has left.

  leftovers.py list RUN           prints what is left, one in a line; what is just ending gets some seconds to end
  leftovers.py sweep RUN          ends and removes it; prints what it had to remove; status 1 if something stays
  leftovers.py orphans RUN        prints the control groups of benchmarks and tests that have ended, one in a line
  leftovers.py guard RUN PID      goes to the background and sweeps when the process PID has ended, in whatever way

RUN is the number that every process of the run has in its environment as GRAY_BENCH_RUN. It is also part of the names of the things that the run makes:
the folder gray-bench-RUN, disks bench-RUN-N of hddsim, control groups gray-bench-RUN-N. The kernel is asked for all of them, and nothing is remembered:
processes, swap files, mounts and loop devices in the run's folder, disks, groups. A benchmark in another process may have named its group or disk itself
(gray-NAME-N-PID). Those whose process belongs to the run are found, too, and those whose process has ended, except the names in $GRAY_BENCH_FOUND:
what existed before the run (leftovers.py orphans) does not belong to it.
"""
import contextlib
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import time

import programs

UNITS = pathlib.Path("/run/hddsim")
CGROUPS = pathlib.Path("/sys/fs/cgroup")
GRACE_S = 3


def text(path):
    try:
        return pathlib.Path(path).read_text(errors="replace")
    except OSError:
        return ""


def folders(run):
    found = {*pathlib.Path("/var/tmp").glob(f"gray-bench-{run}*"), *pathlib.Path("/dev/shm").glob(f"gray-bench-{run}.*")}
    if f"gray-bench-{run}" in os.environ.get("GRAY_SCRATCH", ""):
        found.add(pathlib.Path(os.environ["GRAY_SCRATCH"]))
    return sorted(found)


def lies_in_run(path, run):
    return f"/gray-bench-{run}" in path or f"/run/hddsim/bench-{run}-" in path


def processes(run):
    """Returns [pid] of the run's processes, without this process and the processes above it."""
    mine, pid = set(), os.getpid()
    while pid > 1:
        mine.add(pid)
        stat = text(f"/proc/{pid}/stat").rpartition(")")[2].split()
        pid = int(stat[1]) if len(stat) > 1 else 0
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in mine:
            continue
        if f"\0GRAY_BENCH_RUN={run}\0" in "\0" + text(f"/proc/{name}/environ"):
            arguments = text(f"/proc/{name}/cmdline").split("\0")
            if any(argument.endswith("leftovers.py") for argument in arguments[:3]):
                continue  # the guard
            found.append(int(name))
    return found


def is_server(pid):
    return "/hddsim\0serve\0" in text(f"/proc/{pid}/cmdline")


def swaps(run):
    return [line.split()[0] for line in text("/proc/swaps").splitlines()[1:] if lies_in_run(line.split()[0], run)]


def mounts(run):
    places = [line.split()[4].encode().decode("unicode_escape") for line in text("/proc/self/mountinfo").splitlines()]
    return [place for place in reversed(places) if f"/gray-bench-{run}" in place]


def loops(run):
    if shutil.which("losetup") is None:
        return []
    listed = subprocess.run(["losetup", "-l", "-n", "-O", "NAME,BACK-FILE"], capture_output=True, text=True, check=False).stdout
    return [line.split()[0] for line in listed.splitlines() if f"/gray-bench-{run}" in line]


def units(run):
    if not UNITS.is_dir():
        return []
    names = {path.name for path in UNITS.iterdir() if path.name.startswith(f"bench-{run}-")}
    for pid in processes(run):
        if is_server(pid):
            match = re.search(re.escape(str(UNITS)) + r"/([\w-]+)/", text(f"/proc/{pid}/cmdline"))
            names.update(match.groups() if match else ())
    return sorted(names)


def named_after_processes():
    return list(CGROUPS.glob("*/gray-*-[0-9]*")) + list(CGROUPS.glob("gray-*-[0-9]*"))


def groups(run):
    found = []
    for pattern in (f"*/gray-bench-{run}-*", f"gray-bench-{run}-*"):
        found += CGROUPS.glob(pattern)
    before = os.environ.get("GRAY_BENCH_FOUND", "").split("\n")
    for path in named_after_processes():
        maker = path.name.rsplit("-", 1)[1]
        if path not in found and maker.isdigit() and (int(maker) in processes(run) or (is_orphan(path) and str(path) not in before)):
            found.append(path)
    return found


def is_orphan(group):
    maker = group.name.rsplit("-", 1)[1]
    return not os.path.exists(f"/proc/{maker}") and not text(group / "cgroup.procs").strip() and "gray-bench-" not in group.name


def listing(run):
    for pid in processes(run):
        yield f"process {pid} {text(f'/proc/{pid}/cmdline').replace(chr(0), ' ').strip()[:120]}"
    for kind, found in (("swap", swaps(run)), ("mount", mounts(run)), ("loop device", loops(run)), ("disk", units(run)), ("group", groups(run)),
                        ("folder", [path for path in folders(run) if path.exists()])):
        for one in found:
            yield f"{kind} {one}"


def settled(run):
    """The list, once it is empty or GRACE_S are over, because a process that was asked to end, or a loop device, needs a moment to go."""
    until = time.monotonic() + GRACE_S
    found = list(listing(run))
    while found and time.monotonic() < until:
        time.sleep(0.1)
        found = list(listing(run))
    return found


def quietly(*command):
    programs.run(*command, timeout=120)


def end_processes(run):
    """Asks the processes to end first, because a benchmark itself cleans up best. The servers of the disks stay, for data that is still to be written."""
    for signal_number, patience_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, 2)):
        left = [pid for pid in processes(run) if not is_server(pid)]
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal_number)
        until = time.monotonic() + patience_s
        while left and time.monotonic() < until:
            time.sleep(0.05)
            left = [pid for pid in left if os.path.exists(f"/proc/{pid}") and pid in processes(run)]


def sweep(run):
    """Returns what had to be removed, and what could not be removed."""
    found = list(listing(run))
    if not found:
        return [], []
    end_processes(run)
    for path in swaps(run):
        quietly("swapoff", path)
    for name in units(run):
        quietly(programs.HDDSIM, "down", "--force", name)
    for place in mounts(run):
        quietly("umount", place)
        if os.path.ismount(place):
            quietly("umount", "-l", place)
    for device in loops(run):
        quietly("losetup", "-d", device)
    for path in groups(run):
        for _ in range(20):
            with contextlib.suppress(OSError):
                path.rmdir()
            if not path.exists():
                break
            time.sleep(0.05)
    for path in folders(run):
        if not mounts(run):
            shutil.rmtree(path, ignore_errors=True)
    return found, list(listing(run))


def guard(run, pid):
    """Runs in a session of its own, and wakes up once, when the process has ended."""
    try:
        gone = os.pidfd_open(pid)
    except (OSError, AttributeError):  # already over, or a kernel or Python older than 2020: then only the benchmark's own traps clean up
        return
    if os.fork() != 0:
        return
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    os.chdir("/")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    poll = select.poll()
    poll.register(gone, select.POLLIN)
    poll.poll()
    for _ in range(3):  # a thing that was just being made when its maker was killed may appear a moment later
        sweep(run)
        time.sleep(0.5)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("list", "sweep", "orphans", "guard") or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    run = sys.argv[2]
    if sys.argv[1] == "list":
        print("".join(f"{line}\n" for line in settled(run)), end="")
        return 0
    if sys.argv[1] == "orphans":
        print("".join(f"{path}\n" for path in named_after_processes() if is_orphan(path)), end="")
        return 0
    if sys.argv[1] == "guard":
        guard(run, int(sys.argv[3]))
        return 0
    removed, stays = sweep(run)
    print("".join(f"{line}\n" for line in removed), end="")
    for line in stays:
        print(f"leftovers: still there: {line}", file=sys.stderr)
    return 1 if stays else 0


if __name__ == "__main__":
    sys.exit(main())
