# SPDX-License-Identifier: MIT
"""fastsort: several sorts at once that ask gb_alloc for the memory of their passes, against passes of each fixed size (figure 7)."""
import shutil
import statistics
import subprocess
import time

import rows as kit
from options import IS_SMOKE, TURNS
from programs import BUILD
from samples import ratios, spread
from setting import FASTSORT, MIB, SHARES, Room, finish

# The paper's figure 7: 830 MB were available, and each sort had 5 million records.
SORTS = 4
SORT_LIMIT = 830 * MIB
SORT_DATA = 5_000_000 * 100
SORT_SIZES = [150] if IS_SMOKE else [25, 50, 100, 150, 200, 240, 290]
SORT_MAX_S = 20  # beyond the cliff a turn can take half an hour
HOPELESS_TURNS = 2  # of a size, all of them twice as long as the best: the rest is spared
ADAPTIVE = "gb_alloc"


def sort_turn(folder, option):
    """Makespan, and of the sorts the means of their passes and phases and the sum of their major faults."""
    subprocess.run(["sh", "-c", "sync; echo 1 >/proc/sys/vm/drop_caches"], check=True)
    with Room(SORT_LIMIT) as room:
        start = time.monotonic()
        sorts = [room.start([FASTSORT, "--runs-only", "--stats", *option, "-o", folder / f"out{i}", folder / f"in{i}"],
                            stderr=subprocess.PIPE) for i in range(SORTS)]
        try:
            told = [process.communicate(timeout=max(0.1, start + SORT_MAX_S - time.monotonic()))[1].split() for process in sorts]
        except subprocess.TimeoutExpired:
            for process in sorts:
                finish(process)
            for run in folder.glob("out*.run*"):
                run.unlink()
            return {"makespan_s": float(SORT_MAX_S)}
        took = time.monotonic() - start
        if any(process.returncode != 0 for process in sorts):
            return None
        facts = [dict(zip(line[::2], map(float, line[1::2]))) for line in told]
        told = {name: statistics.mean(f[name] for f in facts) for name in facts[0]}
        return {**told, "major_faults": sum(f["major_faults"] for f in facts), "makespan_s": took}


def fastsort(folder):
    print(f"2. {SORTS} gb-fastsorts at once of {SORT_DATA // MIB} MiB each in {SORT_LIMIT // MIB} MiB with swap, first phase (figure 7)")
    for i in range(SORTS):
        subprocess.run([FASTSORT, "--generate", str(SORT_DATA // 100), "--seed", str(i), folder / f"in{i}"], check=True)
    times = {size: [] for size in [*SORT_SIZES, ADAPTIVE]}
    for turn in SHARES.turns("fastsort", TURNS, 2):
        for size in rotated([*times], turn):
            if not is_hopeless(size, times[size], times):
                times[size].append(sort_turn(folder, [] if size == ADAPTIVE else ["--pass", str(size * MIB)]))
    points = {size: tell_turns(size, turns) for size, turns in times.items()}
    compare(times)
    draw({size: took for size, took in points.items() if took}, middle(times[ADAPTIVE], "mean_mib"))
    print("   checked:", end=" ", flush=True)
    with Room(SORT_LIMIT) as room:
        process = room.start([FASTSORT, "-o", folder / "out", folder / "in0", folder / "in1"])
        process.wait()
    subprocess.run([FASTSORT, "--check", folder / "out", folder / "in0", folder / "in1"], check=False)


def rotated(ways, turn):
    """In another order each turn, every other one backwards: no way always follows the same one. What pages leaves the disk slow for the next."""
    place = turn % len(ways)
    order = ways[place:] + ways[:place]
    return order if turn % 2 == 0 else order[::-1]


def is_hopeless(size, turns, times):
    """Two turns of a size show it, one where the passes of all can not even fit beside one another."""
    best = min((turn["makespan_s"] for others in times.values() for turn in others if turn), default=0)
    enough = 1 if size != ADAPTIVE and size * MIB > SORT_LIMIT // SORTS else HOPELESS_TURNS
    return len(turns) >= enough and all(not turn or turn["makespan_s"] > 2 * best for turn in turns)


def tell_turns(size, turns):
    """One line on the turns of a pass size; their makespans."""
    done = [turn for turn in turns if turn]
    took = [turn["makespan_s"] for turn in done]
    whole = [turn for turn in done if "mean_mib" in turn]
    text = f"makespan {spread(took, '{:.2f}')} s" if took else "no turn ended well"
    if whole:
        text += (f", mean pass {middle(whole, 'mean_mib'):.1f} MiB, major faults {spread([t['major_faults'] for t in whole], '{:.0f}')}, "
                 "of a sort's time in " + ", ".join(f"{phase} {middle(whole, phase + '_s'):.2f}" for phase in ("alloc", "read", "sort", "write")) + " s")
    if len(whole) < len(done):
        text += f", {len(done) - len(whole)} of {len(turns)} turns ended after {SORT_MAX_S} s"
    if len(done) < len(turns):
        text += f", {len(turns) - len(done)} of {len(turns)} turns killed"
    print(f"   pass {size} MiB: {text}", flush=True)
    return took


def middle(turns, what):
    return statistics.median(turn[what] for turn in turns if turn and what in turn)


def compare(times):
    """gb_alloc beside the static size with the least median makespan, also turn by turn, for a disk's pace drifts."""
    whole = {size: turns for size, turns in times.items() if len(turns) == len(times[ADAPTIVE]) and all(turns)}
    if ADAPTIVE not in whole or len(whole) == 1:
        print("   not compared: no fixed size, or not gb_alloc, ended well in every turn")
        return
    best = min((size for size in whole if size != ADAPTIVE), key=lambda size: middle(whole[size], "makespan_s"))
    over = ratios(*([turn["makespan_s"] for turn in whole[size]] for size in (ADAPTIVE, best)))
    kit.row("mac/fastsort", over, note=f"best static size {best} MiB")
    kit.row("mac/fastsort-faults", [turn["major_faults"] for turn in whole[ADAPTIVE] if "major_faults" in turn])
    # The cliff, too: beyond it not every turn ends, and some end by the clock.
    told = {size: middle(turns, "makespan_s") for size, turns in times.items() if any(turns)}
    for name, points in (("fixed passes", [(size, took) for size, took in told.items() if size != ADAPTIVE]),
                         ("gb_alloc", [(size, told[ADAPTIVE]) for size in (SORT_SIZES[0], SORT_SIZES[-1])])):
        kit.curve("mac-fastsort", name, points, "memory of a fixed pass, MiB", f"time until all are done, s (at most {SORT_MAX_S})",
                  title=f"{SORTS} sorts of {SORT_DATA // MIB} MiB at once in {SORT_LIMIT // MIB} MiB, first phase")
    ratio = middle(whole[ADAPTIVE], "makespan_s") / middle(whole[best], "makespan_s")
    print(f"   gb_alloc takes {ratio:.3f} times the best static size, {best} MiB; by turns {spread(over, '{:.3f}')}", flush=True)


def draw(points, mean_pass_mib):
    """The sweep with its cliff, as figure 7: a picture by gnuplot in the build folder, and bars here."""
    most = max(map(statistics.median, points.values()))
    for size, took in points.items():
        print(f"   {size!s:>8} {statistics.median(took):8.2f} s {'#' * round(60 * statistics.median(took) / most)}")
    if not shutil.which("gnuplot"):
        print("   no picture: gnuplot is not installed")
        return
    picture = BUILD / "bench" / "mac_fastsort.svg"
    picture.parent.mkdir(exist_ok=True)
    def row(x, took):
        return f"{x:.2f} {statistics.median(took):.4f} {min(took):.4f} {max(took):.4f}\n"
    sweep = "".join(row(size, took) for size, took in points.items() if size != ADAPTIVE)
    script = f"""set terminal svg size 720,440 dynamic background rgb 'white'; set output '{picture}'
set title '{SORTS} sorts of {SORT_DATA // MIB} MiB at once in {SORT_LIMIT // MIB} MiB, first phase'
set xlabel 'memory of a pass, MiB'; set ylabel 'time until all are done, s'; set logscale y; set key top left; set grid
set arrow from {SORT_LIMIT / SORTS / MIB}, graph 0 to {SORT_LIMIT / SORTS / MIB}, graph 1 nohead dashtype 2
set label 'a quarter of the limit' at {SORT_LIMIT / SORTS / MIB}, graph 0.03 right offset -0.5,0
plot '-' using 1:2:3:4 with yerrorlines title 'fixed passes, median and range', '-' using 1:2:3:4 with yerrorbars pointtype 7 title 'gb\\_alloc, at its mean pass'
{sweep}e
{row(mean_pass_mib, points[ADAPTIVE])}e
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    print(f"   drawn: {picture}")
