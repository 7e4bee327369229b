# SPDX-License-Identifier: MIT
"""returnable: three workers hold all of the memory as returnable, and a server needs 40 % of it at once. Measures how long the server waits, and in how many rounds a process
is killed; then the same beside three real sorts."""
import subprocess
import time

import rows as kit
from options import IS_SMOKE, TURNS
from samples import spread
from setting import ADMISSION, FASTSORT, LIMIT, MIB, SHARES, Room, finish

WORKERS, MIN_MIB = 3, 16
SERVER_BYTES = LIMIT * 2 // 5 // 4096 * 4096
ROUNDS = 4 if IS_SMOKE else 100
SORT_RECORDS = 1_000_000 if IS_SMOKE else 4_000_000
COMES_EVERY_S = 0.1 if IS_SMOKE else 0.5


def serve(room):
    """Returns the milliseconds until the server has its memory; None if it has none after five seconds."""
    server = room.start([ADMISSION, "alloc", SERVER_BYTES, SERVER_BYTES, 4096, 5000], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    answer = server.stdout.readline().split()
    finish(server)
    return float(answer[2]) if answer and int(answer[1]) else None


def round_of_workers(has_swap):
    """Returns (milliseconds or None, kills)."""
    with Room(LIMIT, has_swap) as room:
        workers = [room.start([ADMISSION, "return", MIN_MIB * MIB, LIMIT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(WORKERS)]
        try:
            for worker in workers:
                worker.stdout.readline()
            return serve(room), room.kills()
        finally:
            for worker in workers:
                finish(worker)


def turn_of_sorts(folder):
    """Returns (milliseconds for each start of the server, kills, the sorts that failed)."""
    with Room(LIMIT) as room:
        sorts = [room.start([FASTSORT, "--runs-only", "--max", LIMIT, "-o", folder / f"out{i}", folder / f"in{i}"]) for i in range(WORKERS)]
        served = []
        time.sleep(COMES_EVERY_S)
        while all(process.poll() is None for process in sorts):
            served.append(serve(room))
            time.sleep(COMES_EVERY_S)
        failed = sum(process.wait() != 0 for process in sorts)
        return served, room.kills(), failed


def returnable(folder):
    SHARES.take("returnable")
    print(f"6. {WORKERS} workers hold {LIMIT // MIB} MiB as returnable, and a server needs {SERVER_BYTES // MIB} MiB at once")
    worst, kills, unserved = [], 0, 0
    for turn in range(TURNS):
        rounds = [round_of_workers(turn % 2 == 0) for _ in range(ROUNDS)]
        times = [took for took, _ in rounds if took is not None]
        unserved += len(rounds) - len(times)
        kills += sum(killed for _, killed in rounds)
        worst.append(max(times, default=5000))
        print(f"   {'swap' if turn % 2 == 0 else 'no swap'}: served after {spread(times, '{:.1f}')} ms, kills {sum(killed for _, killed in rounds)}", flush=True)
    kit.row("mac/returnable", worst, note=f"the longest of {ROUNDS} rounds each; not served in 5 s: {unserved}")
    kit.row("mac/returnable-kills", [kills], note=f"in {TURNS * ROUNDS} rounds")
    for i in range(WORKERS):
        with open(folder / f"in{i}", "wb") as stream:
            subprocess.run(["head", "-c", str(SORT_RECORDS * 100), "/dev/urandom"], stdout=stream, check=True)
    worst, failed = [], 0
    for _ in range(TURNS):
        served, killed, wrong = turn_of_sorts(folder)
        times = [took if took is not None else 5000 for took in served]
        print(f"   beside three sorts: came {len(times)} times, served after {spread(times, '{:.1f}')} ms, kills {killed}, sorts that failed {wrong}", flush=True)
        if times:
            worst.append(max(times))
        failed += wrong + killed
    if worst:
        kit.row("mac/returnable-sorts", worst, note=f"the longest of a turn; sorts killed or failed: {failed}")
