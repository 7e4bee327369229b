# SPDX-License-Identifier: MIT
"""fastsort: several sorts at once that ask gb_alloc for the memory of their passes, compared with passes of the best fixed size (figure 7).

gb_alloc is asked in two ways: for the memory that speeds up a pass, as gb-fastsort does by itself, and for all of the data, as the paper's sorts did. In the second way
all sorts together ask for more than there is, and only admission decides. The best fixed size is found first: some turns with sizes far apart,
then some with sizes between the best of these and its neighbours. The best few of all sizes then run by turns with both ways, and both ways are compared with the best
of these sizes."""
import shutil
import statistics
import subprocess
import time

import rows as kit
from options import IS_SMOKE, TURNS
from programs import BUILD
from samples import ratios, spread
from setting import FASTSORT, MIB, SHARES, Room, finish

# The paper's figure 7: 830 MB were available, and each sort had 5 million records. A smoke run has a quarter of everything.
SCALE = 4 if IS_SMOKE else 1
SORTS = 4
SORT_LIMIT = 830 * MIB // SCALE
SORT_DATA = 5_000_000 * 100 // SCALE
COARSE_SIZES = [150 // SCALE] if IS_SMOKE else [25, 50, 100, 150, 200, 240, 290]
FINE_STEPS = 1 if IS_SMOKE else 3  # number of steps from the best size to each of its neighbours
SWEEP_TURNS = 1 if IS_SMOKE else 3
FINALISTS = 3
TURNS_LEAST = 5  # of the compared ways, however short the time is
SORT_MAX_S = 20  # with too large passes a turn can take half an hour
WORTH, ALL = "gb_alloc", "gb_alloc of all"
ADAPTIVE = {WORTH: [], ALL: ["--max", str(2 * SORT_DATA)]}  # sorting needs a sixth more than the data


def sort_turn(folder, way):
    """Returns a turn's results: kills; unless a sort was killed, the makespan; and, if all sorts ended before their time limit, the means of the sorts' passes and
    phases and the sum of their major faults."""
    options = ADAPTIVE[way] if way in ADAPTIVE else ["--pass", str(way * MIB)]
    subprocess.run(["sh", "-c", "sync; echo 1 >/proc/sys/vm/drop_caches"], check=True)
    for code in (FASTSORT, *BUILD.glob("lib/libgray.so.*")):
        code.read_bytes()  # otherwise the sorts' first major faults would be for their own code, and not for paging
    with Room(SORT_LIMIT) as room:
        start = time.monotonic()
        sorts = [room.start([FASTSORT, "--runs-only", "--stats", *options, "-o", folder / f"out{i}", folder / f"in{i}"],
                            stderr=subprocess.PIPE) for i in range(SORTS)]
        try:
            told = [process.communicate(timeout=max(0.1, start + SORT_MAX_S - time.monotonic()))[1].split() for process in sorts]
        except subprocess.TimeoutExpired:
            for process in sorts:
                finish(process)
            for run in folder.glob("out*.run*"):
                run.unlink()
            return {"kills": room.kills(), "makespan_s": float(SORT_MAX_S)}
        took = time.monotonic() - start
        if any(process.returncode != 0 for process in sorts):
            return {"kills": room.kills()}
        facts = [dict(zip(line[::2], map(float, line[1::2]))) for line in told]
        told = {name: statistics.mean(f[name] for f in facts) for name in facts[0]}
        return {**told, "major_faults": sum(f["major_faults"] for f in facts), "makespan_s": took, "kills": room.kills()}


def fastsort(folder):
    print(f"2. {SORTS} gb-fastsorts at once of {SORT_DATA // MIB} MiB each in {SORT_LIMIT // MIB} MiB with swap, first phase (figure 7)")
    for i in range(SORTS):
        subprocess.run([FASTSORT, "--generate", str(SORT_DATA // 100), "--seed", str(i), folder / f"in{i}"], check=True)
    swept = sweep(folder, COARSE_SIZES, {})
    swept = sweep(folder, finer(swept), swept)
    best = sorted(swept, key=lambda size: middle(swept[size], "makespan_s"))[:FINALISTS]
    final = {way: [] for way in [*ADAPTIVE, *best]}
    for turn in SHARES.turns("fastsort", TURNS, TURNS_LEAST):
        for way in rotated([*final], turn):
            final[way].append(sort_turn(folder, way))
    for way, turns in [*sorted(swept.items()), *final.items()]:
        tell_turns(way, turns)
    compare(final)
    points = {size: turns + final.get(size, []) for size, turns in sorted(swept.items())}
    tell_curves(points, final)
    draw(points, final)
    check(folder)


def sweep(folder, sizes, swept):
    """Returns `swept` with turns of these sizes added. A size that is hopeless after one turn has no second turn."""
    swept = {**swept, **{size: [] for size in sizes}}
    for turn in range(SWEEP_TURNS):
        for size in rotated(sizes, turn):
            if not is_hopeless(size, swept):
                swept[size].append(sort_turn(folder, size))
    return swept


def finer(swept):
    """Returns the sizes between the best size and its neighbours. If the best is the smallest size, half of it is added."""
    sizes = sorted(swept)
    best = min(sizes, key=lambda size: middle(swept[size], "makespan_s"))
    place = sizes.index(best)
    sides = [best // 2 if place == 0 else sizes[place - 1], *sizes[place + 1:place + 2]]
    return [best + (side - best) * step // FINE_STEPS for side in sides for step in range(1, FINE_STEPS)]


def rotated(ways, turn):
    """Returns the ways in another order for each turn, and backwards in every other turn, so that no way always follows the same way: a way that pages leaves the disk slow for
    the next way."""
    if not ways:
        return []
    place = turn % len(ways)
    order = ways[place:] + ways[:place]
    return order if turn % 2 == 0 else order[::-1]


def is_hopeless(size, swept):
    """Whether a turn has shown that a size is hopeless. Only sizes that cannot fit beside one another can be hopeless."""
    best = min((middle(turns, "makespan_s") for turns in swept.values() if turns), default=0)
    return bool(swept[size]) and size * MIB > SORT_LIMIT // SORTS and middle(swept[size], "makespan_s") > 2 * best


def middle(turns, what):
    """The median over the turns that have this figure; infinite if none has it, as when a sort was killed."""
    return statistics.median([turn[what] for turn in turns if what in turn] or [float("inf")])


def tell_turns(way, turns):
    """Prints one line on the turns of a way."""
    whole = [turn for turn in turns if "mean_mib" in turn]
    timed = [turn["makespan_s"] for turn in turns if "makespan_s" in turn]
    text = f"makespan {spread(timed, '{:.2f}')} s, n={len(turns)}"
    if whole:
        text += (f", mean pass {middle(whole, 'mean_mib'):.1f} MiB, major faults {spread([t['major_faults'] for t in whole], '{:.0f}')}, "
                 "of a sort's time in " + ", ".join(f"{phase} {middle(whole, phase + '_s'):.2f}" for phase in ("alloc", "read", "sort", "write")) + " s")
    if len(whole) < len(timed):
        text += f", {len(timed) - len(whole)} of {len(turns)} turns ended after {SORT_MAX_S} s"
    if len(timed) < len(turns):
        text += f", {len(turns) - len(timed)} of {len(turns)} turns failed"
    print(f"   {f'pass {way} MiB' if way not in ADAPTIVE else way}: {text}, killed {sum(turn['kills'] for turn in turns)}", flush=True)


def compare(final):
    """Reports both ways beside the fixed size with the least median makespan, turn by turn, because a disk's speed drifts."""
    for way, name in ((WORTH, "mac/fastsort"), (ALL, "mac/fastsort-binding")):
        kit.row(f"{name}-kills", [turn["kills"] for turn in final[way]], note=f"each turn of {SORTS} sorts")
        if faults := [turn["major_faults"] for turn in final[way] if "major_faults" in turn]:
            kit.row(f"{name}-faults", faults)
    whole = {way: turns for way, turns in final.items() if all("makespan_s" in turn for turn in turns)}
    fixed = [way for way in whole if way not in ADAPTIVE]
    if not fixed:
        print("   not compared: of no fixed size all turns ended well")
        return
    best = min(fixed, key=lambda size: middle(final[size], "makespan_s"))
    for way, name in ((WORTH, "mac/fastsort"), (ALL, "mac/fastsort-binding")):
        if way not in whole:
            print(f"   not compared: not all turns of {way} ended well")
            continue
        over = ratios(*([turn["makespan_s"] for turn in final[of]] for of in (way, best)))
        kit.row(name, over, note=f"mean pass {middle(final[way], 'mean_mib'):.0f} MiB; best static size {best} MiB, of {', '.join(map(str, sorted(fixed)))} by turns")


def tell_curves(points, final):
    """Writes the curves, also for sizes that are too large: there not every turn ends, and some are ended by the clock."""
    told = {size: middle(turns, "makespan_s") for size, turns in points.items() if any("makespan_s" in turn for turn in turns)}
    curves = {"fixed passes": [*told.items()],
              **{way: [(size, middle(final[way], "makespan_s")) for size in (min(points), max(points))] for way in ADAPTIVE if "makespan_s" in final[way][0]}}
    for name, curve in curves.items():
        kit.curve("mac-fastsort", name, curve, "memory of a fixed pass, MiB", f"time until all are done, s (at most {SORT_MAX_S})",
                  title=f"{SORTS} sorts of {SORT_DATA // MIB} MiB at once in {SORT_LIMIT // MIB} MiB, first phase")


def draw(points, final):
    """Draws the sweep as in figure 7: a picture by gnuplot in the build folder, and bars in the output."""
    took = {way: [turn["makespan_s"] for turn in turns if "makespan_s" in turn] for way, turns in {**points, **{way: final[way] for way in ADAPTIVE}}.items()}
    took = {way: times for way, times in took.items() if times}
    most = max(map(statistics.median, took.values()))
    for way, times in took.items():
        print(f"   {way!s:>16} {statistics.median(times):8.2f} s {'#' * round(60 * statistics.median(times) / most)}")
    if not shutil.which("gnuplot"):
        print("   no picture: gnuplot is not installed")
        return
    picture = BUILD / "bench" / "mac_fastsort.svg"
    picture.parent.mkdir(exist_ok=True)

    def line(x, times):
        return f"{x:.2f} {statistics.median(times):.4f} {min(times):.4f} {max(times):.4f}\n"
    fixed = "".join(line(way, times) for way, times in took.items() if way not in ADAPTIVE)
    asked = "".join(line(middle(final[way], "mean_mib"), took[way]) for way in ADAPTIVE if way in took)
    script = f"""set terminal svg size 720,440 dynamic background rgb 'white'; set output '{picture}'
set title '{SORTS} sorts of {SORT_DATA // MIB} MiB at once in {SORT_LIMIT // MIB} MiB, first phase'
set xlabel 'memory of a pass, MiB'; set ylabel 'time until all are done, s'; set logscale y; set key top left; set grid
set arrow from {SORT_LIMIT / SORTS / MIB}, graph 0 to {SORT_LIMIT / SORTS / MIB}, graph 1 nohead dashtype 2
set label 'a quarter of the limit' at {SORT_LIMIT / SORTS / MIB}, graph 0.03 right offset -0.5,0
plot '-' using 1:2:3:4 with yerrorlines title 'fixed passes, median and range', '-' using 1:2:3:4 with yerrorbars pointtype 7 title 'gb\\_alloc, at its mean pass'
{fixed}e
{asked}e
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    print(f"   drawn: {picture}")


def check(folder):
    """Checks that a sort that asked for all of its data has sorted correctly."""
    print("   checked:", end=" ", flush=True)
    with Room(SORT_LIMIT) as room:
        process = room.start([FASTSORT, *ADAPTIVE[ALL], "-o", folder / "out", folder / "in0", folder / "in1"])
        process.wait()
    subprocess.run([FASTSORT, "--check", folder / "out", folder / "in0", folder / "in1"], check=True)
