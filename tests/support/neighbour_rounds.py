# SPDX-License-Identifier: MIT
"""neighbour_rounds: starts real programs by gb-run at the same time in a control group, again and again, and counts their results.

  neighbour_rounds.py GB-RUN ADMISSION GROUP LIMIT-BYTES FOLDER ROUNDS all|NAME [GB-RUN-OPTION...]

Starts all four programs, or four times NAME. GROUP is the folder of a memory control group with that limit and without swap. FOLDER is writable. The
programs: Python and a C program that write to every page of their grant, GNU sort with a buffer of that size, and, where it is installed, a Java machine
with a heap of that size that is touched as a whole. Prints a line of figures. The status is 1 when a program was killed, was refused or failed.

The grant of each program is read from its command line while the program lives. Room is what the group could have granted at a moment: its limit
less what the running programs need to start. That need is measured here without gb-run: it is what each program has in memory beyond 30 MiB that it
is told to use. The margin that gb-run leaves free is not subtracted. For a program that gb-run does not know yet, gb-run leaves free what its manual
page says, and when four of them start at once it cannot grant more. So in such a round that amount is taken as their need.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import time

MIB = 1 << 20
ALONE_BYTES = 30 * MIB
POLL_S = 0.004
REFUSED, KILLED = 1, 137
SUPPOSED_BYTES = 24 * MIB  # of gb-run(1), at most
SUPPOSED_SHARE = 8  # of the limit
TOUCH = "import sys; n=int(sys.argv[1]); m=bytearray(n)\nfor i in range(0,n,4096): m[i]=1"


def commands(admission, folder):
    """Name, command, and the word that has the grant, as a number and its unit."""
    found = [
        ("python", [sys.executable, "-S", "-E", "-c", TOUCH, "{b}"], 5, 1),
        ("sort", ["sort", "-S", "{}", "-o", "/dev/null", str(folder / "lines")], 2, 1024),
        ("c", [admission, "touch", "{m}"], 2, MIB),
    ]
    if shutil.which("java"):
        java = os.path.realpath(shutil.which("java"))
        words = [java, "-Xshare:auto", "-XX:+AlwaysPreTouch", "-XX:TieredStopAtLevel=1", "-Xms{}", "-Xmx{}", "-version"]
        found.append(("java", words, 5, 1024))
    return found


def grant_of(word, factor):
    digits = "".join(c for c in word if c.isdigit())
    return int(digits) * factor if digits else 0


def start_need(command):
    """What the program has in memory beyond the grant when it runs alone, outside the group."""
    texts = {"{b}": str(ALONE_BYTES), "{m}": str(ALONE_BYTES // MIB), "{}": f"{ALONE_BYTES // 1024}K"}
    words = command
    for mark, text in texts.items():
        words = [word.replace(mark, text) if mark in word else word for word in words]
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        sys.exit(f"neighbour_rounds: status {status} of {words}")
    return max(0, used.ru_maxrss * 1024 - ALONE_BYTES)


def known_programs():
    """The names of the programs whose need gb-run has learned."""
    file = pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "gray" / "gb-run.needs"
    return {line.split(" ", 1)[1] for line in file.read_text().splitlines()} if file.exists() else set()


class Run:
    """One program under gb-run."""

    def __init__(self, gb_run, options, group, program):
        self.name, command, self.place, self.factor = program
        enter = 'echo $$ >"$0/cgroup.procs" && exec "$@"'
        words = ["sh", "-c", enter, str(group), gb_run, *options, "--", *command]
        self.gb_run = gb_run
        self.words = len(command)
        self.grant = 0
        self.status = None
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def look(self):
        if self.status is not None:
            return
        self.status = self.process.poll()
        if self.status is not None:
            self.grant = 0
            return
        if self.grant:
            return
        pid = self.process.pid
        try:
            for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                words = pathlib.Path(f"/proc/{child}/cmdline").read_text().split("\0")[:-1]
                if len(words) == self.words:
                    self.grant = grant_of(words[self.place], self.factor)
        except OSError:
            pass


def oom_kills(group):
    for name in ("memory.events", "memory.oom_control"):
        file = group / name
        if file.exists():
            return sum(int(line.split()[1]) for line in file.read_text().splitlines() if line.startswith("oom_kill "))
    return 0


def main():
    gb_run, admission = sys.argv[1:3]
    group, limit, folder, rounds = pathlib.Path(sys.argv[3]), int(sys.argv[4]), pathlib.Path(sys.argv[5]), int(sys.argv[6])
    wanted, options = sys.argv[7], sys.argv[8:]
    with open(folder / "lines", "w", encoding="ascii") as lines:
        for i in range(150_000):
            lines.write(f"{i * 7919 % 150_001:0100d}\n")
    programs = commands(admission, folder)
    if wanted != "all":
        programs = [program for program in programs if program[0] == wanted] * 4
    start_needs = {program[0]: start_need(program[1]) for program in programs}
    words = {program[0]: os.path.basename(program[1][0]) for program in programs}
    supposed = min(SUPPOSED_BYTES, limit // SUPPOSED_SHARE)
    before = oom_kills(group)
    killed = refused = failed = 0
    shares = []
    start = time.monotonic()
    for number in range(rounds):
        # No program is always the first.
        turn = number % len(programs)
        runs = [Run(gb_run, options, group, program) for program in programs[turn:] + programs[:turn]]
        share = 0
        known = known_programs()
        needs = {name: need if words[name] in known else max(need, supposed) for name, need in start_needs.items()}
        while any(run.status is None for run in runs):
            for run in runs:
                run.look()
            live = [run for run in runs if run.grant]
            share = max(share, sum(run.grant for run in live) / (limit - sum(needs[run.name] for run in live)))
            time.sleep(POLL_S)
        shares.append(share)
        for run in runs:
            said = run.process.stderr.read().decode(errors="replace").strip()
            if run.status == 0:
                continue
            print(f"round {number}: {run.name}: status {run.status}: {said}", flush=True)
            killed += run.status == KILLED
            refused += run.status == REFUSED and "are not there" in said
            failed += 1
    kills = oom_kills(group) - before
    shares.sort()
    texts = " ".join(f"{name} {need // MIB}" for name, need in start_needs.items())
    print(f"{wanted}: rounds {rounds} programs {len(programs)} oom_kills {kills} killed {killed} refused {refused} failed {failed} "
          f"granted_of_room least {shares[0]:.3f} tenth {shares[len(shares) // 10]:.3f} median {shares[len(shares) // 2]:.3f} "
          f"start_mib {texts} seconds {time.monotonic() - start:.1f}")
    sys.exit(1 if kills or failed else 0)


main()
