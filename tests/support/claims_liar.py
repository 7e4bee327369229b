# SPDX-License-Identifier: MIT
"""claims_liar: puts false claims into /dev/shm in every way that a process can, and measures what an honest process gets.

  claims_liar.py ADMISSION GB-RUN GROUP

To be run by root in a mount namespace with a /dev/shm of its own. GROUP is the folder of a memory control group with a limit. In that group
one process holds a part of the memory, and gb-run promises some more. Prints a line for each false claim. The status is 1 when one of them changed
the grant by more than a twentieth, or took more time than GOALS_S says. The claims have the form of the present table and that of the older one.
"""
import ctypes
import fcntl
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time

ADMISSION, GB_RUN, GROUP = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
MIB = 1 << 20
SHM = pathlib.Path("/dev/shm")
NOW, BEFORE = SHM / "gray-mac4.0", (SHM / "gray-mac", SHM / "gray-mac.0")
NOBODY = 65534
GOALS_S = {"name": 0.2, "claim": 1.0}
MASK = (1 << 64) - 1
ASKING, HELD, PROMISED, WAITING = 2, 3, 4, 1
SLOTS, SLOT_SHIFT, HEAD, CLAIM = 128, 55, 8, 64
F_SETLEASE = 1024


def enter_group():
    (GROUP / "cgroup.procs").write_text(str(os.getpid()))


def ask():
    """The bytes that an honest process got, and how long that took."""
    words = [ADMISSION, "alloc", "4096", str(1 << 40), "4096", "0"]
    start = time.monotonic()
    said = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, preexec_fn=enter_group, timeout=120)
    words = said.stdout.split()
    return (int(words[1]) if len(words) > 1 else -said.returncode), time.monotonic() - start


def checksum(state, pid, *numbers):
    total = 0x336D69616C636267
    for word in ((state << 32 | pid), *numbers):
        total = (total ^ word) * 0x9E3779B97F4A7C15 & MASK
        total ^= total >> 32
    return total


def claim_now(state, pid, least, most, held, pending):
    numbers = (0, least, most, held, pending, pending or least)
    return struct.pack("<II7Q", state, pid, *numbers, checksum(state, pid, *numbers))


def group_id():
    parts = GROUP.parts
    path = "/" + "/".join(parts[5 if parts[4] == "memory" else 4:])
    found = 0xCBF29CE484222325
    for byte in path.encode():
        found = (found ^ byte) * 0x100000001B3 & MASK
    return found | 2


def start_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19])


def table_before(state, pid, least, most, held, pending):
    claim = struct.pack("<IIQQQQQQQ12Q", state, pid, start_of(pid), 0, least, most, held, pending, 2, 1, group_id(), *[0] * 10)
    return struct.pack("<QIIQ", 0x316D69616C636267, 1, 0, 2) + claim + bytes(160 * 127)


def write_all(state, pid, least, most, held, pending):
    """Writes into every table that is writable, in the table's form."""
    for path in BEFORE:
        try:
            with open(path, "r+b") as file:
                file.write(table_before(state, pid, least, most, held, pending))
        except OSError:
            pass
    try:
        with open(NOW, "r+b") as file:
            file.seek(HEAD + 100 * CLAIM)
            file.write(claim_now(state, pid, least, most, held, pending))
    except OSError:
        pass


def edit_claims_of(pid, pending):
    """Overwrites the claims of a living process."""
    with open(NOW, "r+b") as file:
        for slot in range(SLOTS):
            file.seek(HEAD + slot * CLAIM)
            if struct.unpack("<II7Q", file.read(CLAIM))[1] == pid:
                file.seek(HEAD + slot * CLAIM)
                file.write(claim_now(PROMISED, pid, 0, pending, 0, pending))


class Liar:
    """A process of that user, which runs until it is ended."""

    def __init__(self, user, act):
        read_end, write_end = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            if user != 0:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
                ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
            try:
                steps = act()
                next(steps)
                os.write(write_end, b"x")
                while True:
                    next(steps)
            finally:
                os._exit(0)
        os.close(write_end)
        os.read(read_end, 1)
        os.close(read_end)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def once(act):
    def steps():
        act()
        while True:
            yield
            time.sleep(1)
    return steps


def for_each_name(act):
    def steps():
        for path in (NOW, *BEFORE):
            try:
                act(path)
            except OSError:
                pass
        while True:
            yield
            time.sleep(1)
    return steps


def lock_in_pulses():
    files = []
    for path in (NOW, *BEFORE):
        try:
            files.append(open(path, "r+b"))
        except OSError:
            pass
    while True:
        for file in files:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX, 1 if file.name == str(NOW) else 0)
            except OSError:
                pass
        yield
        time.sleep(1.9)
        for file in files:
            fcntl.lockf(file, fcntl.LOCK_UN, 1 if file.name == str(NOW) else 0)
        time.sleep(0.002)


def sized(size):
    def act(path):
        with open(path, "ab") as file:
            os.chmod(path, 0o666)
            os.truncate(file.fileno(), size)
    return act


def leased(path):
    with open(path, "ab"):
        os.chmod(path, 0o666)
    file = os.open(path, os.O_RDWR)
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    fcntl.fcntl(file, F_SETLEASE, fcntl.F_WRLCK)


def pipe(path):
    os.mkfifo(path)
    os.chmod(path, 0o666)


def garbage(path):
    path.write_bytes(bytes(range(256)) * 100)


def linked(path):
    path.symlink_to("/dev/shm/elsewhere")


NAMES = [("an empty file", sized(0)), ("one byte", sized(1)), ("1 TB", sized(1 << 40)), ("garbage", garbage), ("a lease", leased),
         ("a FIFO", pipe), ("a symbolic link", linked), ("a folder", os.mkdir)]
CLAIMS = [("asks, holding 8 GiB, as pid 1", (ASKING, 1, 0, 8 << 30, 8 << 30, 0)),
          ("waits for all, as pid 1", (WAITING, 1, 8 << 30, 8 << 30, 0, 0)),
          ("was promised 2^55, as pid 1", (PROMISED, 1, 0, 1 << 55, 0, 1 << 55))]


def clean():
    for path in (NOW, *BEFORE):
        try:
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        except OSError:
            pass


def main():
    wrong = 0
    clean()
    honest = sorted(ask() for _ in range(5))[2]
    quickest = min(ask()[1] for _ in range(5))

    def judge(kind, what, compared=honest):
        nonlocal wrong
        got, time_s = ask()
        change = (got - compared[0]) / compared[0]
        # Measures twice more, because the machine may have been busy with something else.
        for _ in range(2):
            if time_s > quickest + GOALS_S[kind]:
                time_s = min(time_s, ask()[1])
        is_wrong = abs(change) > 0.05 or time_s > quickest + GOALS_S[kind]
        wrong += is_wrong
        print(f"{'WRONG' if is_wrong else 'right'}: {what}: {got} bytes, {100 * change:+.1f} %, {time_s - quickest:+.3f} s", flush=True)

    print(f"honest: {honest[0]} bytes, {honest[1]:.3f} s")
    for user, whose in ((NOBODY, "another user"), (0, "the same user")):
        for what, act in NAMES:
            clean()
            liar = Liar(user, for_each_name(act))
            judge("name", f"{whose} leaves {what}")
            liar.end()
    for user, whose in ((NOBODY, "another user"), (0, "the same user")):
        for what, numbers in CLAIMS:
            clean()
            ask()
            liar = Liar(user, once(lambda numbers=numbers: write_all(*numbers)))
            judge("claim", f"{whose} {what}")
            liar.end()
        clean()
        ask()
        liar = Liar(user, lock_in_pulses)
        judge("claim", f"{whose} holds the lock in pulses")
        liar.end()
    clean()
    # A participant whose claim is overwritten counts for as much memory as it uses.
    neighbour = subprocess.Popen([GB_RUN, "--max", "8M", "--", "sleep", "300"], preexec_fn=enter_group)
    time.sleep(0.5)
    beside = sorted(ask() for _ in range(3))[1]
    if NOW.exists():
        edit_claims_of(neighbour.pid, 1 << 55)
        judge("claim", "the claim of one who takes part is overwritten with 2^55", beside)
    else:
        write_all(PROMISED, neighbour.pid, 0, 1 << 55, 0, 1 << 55)
        judge("claim", "the claim of one who takes part is overwritten with 2^55", beside)
    # The table is truncated while it is in use. It is made whole again, and later promises count.
    for path in (NOW, *BEFORE):
        if path.exists():
            os.truncate(path, 1)
    judge("claim", "the table is cut to one byte", honest)
    second = subprocess.Popen([GB_RUN, "--max", "40M", "--", "sleep", "300"], preexec_fn=enter_group)
    time.sleep(0.5)
    got, _ = ask()
    counts = got < honest[0] - 30 * MIB
    wrong += not counts
    print(f"{'right' if counts else 'WRONG'}: after that 40 MiB are promised, and {got} bytes granted beside")
    for process in (neighbour, second):
        process.terminate()
        process.wait()
    sys.exit(1 if wrong else 0)


main()
