#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""write_results: makes docs/results.md and its plots from the rows and curves that benchmarks have reported.

  write_results.py ROWS.jsonl RESULTS.md       plots become RESULTS/FIGURE.svg, by gnuplot; without gnuplot the existing plots stay
  write_results.py --check ROWS.jsonl RESULTS.md   status 1 if RESULTS.md differs from what would be written

Every goal of bench/kit/goals.txt gets its row; a goal without a measurement is marked so. Of several rows with one id and variant the last is taken.
Rows of a --smoke run are not valid and are left out. The same input gives the same text.
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import rows as kit  # noqa: E402

PARTS = collections.OrderedDict((
    ("accuracy", ("Predicting disk traffic", "discnice_accuracy",
                  "How far the predicted bytes are from those the kernel counts; open: the model alone, closed: settled by the kernel's account.")),
    ("cost", ("What covering a program costs", "call_cost, overhead, discnice_warm_cost", "Added time of calls and programs under discnice without a limit.")),
    ("throttle", ("Policies and throttling", "throttle", "On the emulated disk of 7200 rpm unless the variant says otherwise.")),
    ("beside", ("Beside real work", "beside",
                "What a foreground feels beside backups, archives and removals, and what these get. On the emulated disk of 7200 rpm with its file "
                "system's dirty pages bounded as on a machine with less memory, unless the variant says otherwise.")),
    ("engines", ("Programs of every kind", "engines",
                 "Programs that the library reaches, and those that are held from outside. The kernel's account is the judge.")),
    ("kernels", ("Debian's kernels", "kernels",
                 "In a virtual machine, on ext4 unless the variant says otherwise; newest is that of unstable. A sample is one boot: the figure that is farthest off.")),
    ("cache", ("The page cache after a job", "cache_neutral",
               "What a job under --cache neutral leaves of other people's page cache, and what it costs the job.")),
    ("tables", ("The tables and figures of DiscNice", "contention, modules, rate_over_time, idle_time, layout_order",
                "Background work beside a foreground program, models on and off, rates over time. On the emulated disk.")),
    ("gbp", ("What is cached, where it lies: gbp", "gbp", "")),
    ("heap", ("Heaps that follow the room", "heapnice", "A Java program with much live data, in a memory group whose limit moves; each variant is a collector.")),
    ("loader", ("Training on a set a little larger than memory", "loader",
                "examples/python/cached_first.py beside a shuffled order, epochs 2 to 5 of five, in a memory control group. A bound is that of reading each sample exactly.")),
    ("mac", ("Memory admission: gb_alloc", "mac", "In a memory control group of its own.")),
    ("memnice", ("Memory that gives way: memnice", "memnice", "A memory group of 512 MB with a swap file; sqlite3 holds 200 MB in its memory.")),
    ("netnice", ("The network gives way: netnice", "netnice, kernels",
                 "On an emulated line (bench/netsim), which the variant names; the connections end at another host as far as the kernel knows. Peers other than "
                 "plain have one turn in five; trickle, tc (tbf) and wondershaper (HTB, SFQ) are set to 95 % of the line by hand. Beside tcp_vegas and netem: in a virtual machine with the "
                 "kernel that the variant names, whose time is the instructions that it has done.")),
    ("wss", ("Working sets seen from outside: gb-wss", "working_set", "")),
    ("microbench", ("The measured host: microbench", "microbench", "")),
    ("bench", ("The benchmarks themselves", "hddsim, --smoke, --full", "")),
))
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f")
NOT_MEASURED = "not measured"


def load(path):
    """(rows by (id, variant) in the order of their first report, curves by figure and name)."""
    measured, curves = collections.OrderedDict(), collections.OrderedDict()
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except FileNotFoundError:
        lines = []
    for number, line in enumerate(lines, 1):
        try:
            found = json.loads(line)
        except json.JSONDecodeError as error:
            sys.exit(f"write_results: {path}:{number}: {error}")
        if found.get("is_smoke"):
            continue
        if found["kind"] == "row":
            measured[(found["id"], found["variant"])] = found
        elif found["kind"] == "curve":
            curves.setdefault(found["figure"], collections.OrderedDict())[found["curve"]] = found
    return measured, curves


def number(value):
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value)}"
    size = abs(value)
    return f"{value:.0f}" if size >= 1000 else f"{value:.1f}" if size >= 100 else f"{value:.2f}" if size >= 0.1 else f"{value:.3g}"


def cell(text):
    return str(text).replace("|", "\\|") or "–"


def verdict(row):
    return {True: "pass", False: "**short**", None: "reported"}[row["pass"]]


def peers_of(goal, row):
    told = [f"{name} {number(value)} (here)" for name, value in row["peer"].items()] if row else []
    return "; ".join(([goal["published"]] if goal["published"] else []) + told)


def line_of(goal, row):
    what = goal["what"] + (f" ({row['variant']})" if row and row["variant"] else "")
    start = [cell(what), cell(goal["unit"]), cell(goal["paper"]), cell(peers_of(goal, row)), cell(goal["goal"])]
    if row is None:
        return start + [NOT_MEASURED, "", "not measured"]
    interval = f"{number(row['low'])} to {number(row['high'])}" if row["runs"] > 1 else "one run"
    return start + [f"**{number(row['value'])}**", f"{interval}, n={row['runs']}", verdict(row)]


def lines_of_part(part, measured):
    """Returns [(cells, row or None)]: goals first, then the other reported rows."""
    lines, seen = [], set()
    for goal_id, goal in kit.goals().items():
        if goal["part"] != part:
            continue
        found = [row for (known, _), row in measured.items() if known == goal_id]
        seen.add(goal_id)
        for row in found or [None]:
            if row and row["goal"] != goal["goal"]:  # the goal was another one when this was measured
                row = {**row, "pass": kit.judge(row["value"], row["samples"], goal["goal"])}
            lines.append((line_of(goal, row), row))
    for (row_id, _), row in measured.items():
        if row["part"] == part and row_id not in seen:
            goal = {"what": row["claim"], "unit": row["unit"], "paper": row["paper"], "published": row["published"], "goal": row["goal"]}
            lines.append((line_of(goal, row), row))
    return lines


def table(lines):
    head = ["claim", "unit", "paper", "peers", "goal", "ours", "interval", ""]
    text = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    text += ["| " + " | ".join(cells) + " |" for cells, _ in lines]
    return "\n".join(text)


def hosts(measured):
    """One line for each machine on which rows were made, with the date and the state of the sources."""
    found = collections.OrderedDict()
    for row in measured.values():
        facts = row["context"]
        key = (facts["processor"], facts["processors"], facts["memory_kib"], facts["kernel"], facts["machine"])
        entry = found.setdefault(key, {"times": [], "commits": collections.OrderedDict(), "load": [], "cpu": [], "io": []})
        entry["times"].append(facts["time"])
        entry["commits"][facts["commit"]] = True
        for name, value in (("load", facts["load"].split()[0]), ("cpu", facts["pressure_cpu"]), ("io", facts["pressure_io"])):
            if re.fullmatch(r"[0-9.]+", value):
                entry[name].append(float(value))
    for (processor, count, memory_kib, kernel, machine), entry in found.items():
        span = ", ".join(f"{name} {number(min(values))} to {number(max(values))}" for name, values in
                         (("load", entry["load"]), ("pressure cpu", entry["cpu"]), ("io", entry["io"])) if values)
        yield (f"- {processor}, {count} processors, {memory_kib / 1048576:.1f} GiB, {machine}, Linux {kernel}. "
               f"Measured {min(entry['times'])} to {max(entry['times'])} at {', '.join(entry['commits'])}. While reporting: {span}.")


def summary(measured):
    text = ["| part | goals | pass | short | not measured | reported only |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for part, (title, _, _) in PARTS.items():
        lines = lines_of_part(part, measured)
        with_goal = [row for cells, row in lines if cells[4] != "reported"]
        counts = [len(with_goal), sum(1 for row in with_goal if row and row["pass"]), sum(1 for row in with_goal if row and row["pass"] is False),
                  sum(1 for row in with_goal if row is None), sum(1 for cells, row in lines if cells[4] == "reported" and row)]
        anchor = re.sub(r"[^a-z0-9_ -]", "", title.lower()).replace(" ", "-")
        text.append(f"| [{title}](#{anchor}) | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(text)


def notes(lines):
    """One line for each note; rows with the same note share a line."""
    sharing = collections.OrderedDict()
    for cells, row in lines:
        if row and row["note"]:
            sharing.setdefault(row["note"], []).append(cells[0])
    told = [f"- {claims[0]}{f' (and {len(claims) - 1} more)' if len(claims) > 1 else ''}: {note}" for note, claims in sharing.items()]
    return "\n".join(told) + "\n" if told else ""


def document(measured, curves, folder):
    strange = {goal["part"] for goal in kit.goals().values()} - set(PARTS)
    if strange:
        sys.exit(f"write_results: bench/kit/goals.txt has parts that stand nowhere here: {', '.join(sorted(strange))}")
    text = ["<!-- Written by script/bench --results from docs/results.jsonl; not to be edited. -->", "# Results", "",
            "What this project's parts do, beside the papers they stand for, what others published, and what peers did in the same run here. Goals that are",
            "missed are printed as plainly as those that are met. Figures are medians; an interval is the extremes of up to five turns, else it holds the",
            "median 95 times in 100. Repeat all of it as root with `script/bench --full`, one part with `script/bench NAME`.", ""]
    text += list(hosts(measured)) or ["Nothing has been measured yet."]
    text += ["", summary(measured), ""]
    figures_left = list(curves)
    for part, (title, benches, about) in PARTS.items():
        lines = lines_of_part(part, measured)
        commands = ", ".join(f"`script/bench {name.strip()}`" for name in benches.split(","))
        text += [f"## {title}", "", f"{about + ' ' if about else ''}To repeat: {commands}.", "", table(lines), ""]
        text += [notes(lines)] if notes(lines) else []
        for figure in [figure for figure in figures_left if part_of(curves[figure]) == part]:
            figures_left.remove(figure)
            text += [f"![{title_of(curves[figure])}]({folder}/{file_name(figure)}.svg)", ""]
    for figure in figures_left:
        text += [f"![{title_of(curves[figure])}]({folder}/{file_name(figure)}.svg)", ""]
    return "\n".join(text).replace("\n\n\n", "\n\n").rstrip("\n") + "\n"


def part_of(figure):
    bench = next(iter(figure.values()))["bench"]
    for part, (_, benches, _) in PARTS.items():
        if bench in [name.strip() for name in benches.split(",")]:
            return part
    return None


def title_of(figure):
    return next((line["title"] for line in figure.values() if line["title"]), next(iter(figure.values()))["figure"])


def file_name(figure):
    return re.sub(r"[^A-Za-z0-9_-]+", "-", figure)


def gnuplot_text(name):
    return "'" + name.replace("'", "''") + "'"


def plot(figure, lines, path):
    """One SVG, with the curves in the order in which they were reported, and their levels as thin lines."""
    first = next(iter(lines.values()))
    with tempfile.TemporaryDirectory() as folder:
        commands = ["set terminal svg size 760,380 dynamic enhanced background rgb 'white' font 'sans-serif,12'", f"set output {gnuplot_text(str(path))}",
                    f"set title {gnuplot_text(title_of(lines))} noenhanced", f"set xlabel {gnuplot_text(first['x'])} noenhanced",
                    f"set ylabel {gnuplot_text(first['y'])} noenhanced", "set grid ytics lc rgb '#dddddd'", "set key outside right top noenhanced", "set yrange [0:*]", "set offsets 0, 0, graph 0.05, 0"]
        parts, levels = [], []
        for index, (name, line) in enumerate(lines.items()):
            data = pathlib.Path(folder) / f"{index}.dat"
            data.write_text("".join(f"{x:.6g} {y:.6g}\n" for x, y in line["points"]))
            colour = COLOURS[index % len(COLOURS)]
            style = "lines lw 1.6" if len(line["points"]) > 1 else "points pt 7 ps 0.6"  # a line with one point would be invisible
            parts.append(f"{gnuplot_text(str(data))} using 1:2 with {style} lc rgb '{colour}' title {gnuplot_text(name)}")
            if line["level"] is not None and line["level"] not in levels:
                levels.append(line["level"])
                parts.append(f"{line['level']} with lines dt 2 lc rgb '#555555' title {gnuplot_text('limit ' + number(line['level']))}")
        commands.append("plot " + ", ".join(parts))
        run = subprocess.run(["gnuplot"], input="\n".join(commands) + "\n", text=True, capture_output=True, check=False)
    if run.returncode != 0:
        print(f"write_results: gnuplot: {figure}: {run.stderr.strip()}", file=sys.stderr)


def main():
    arguments = sys.argv[1:]
    is_check = arguments[:1] == ["--check"]
    if is_check:
        arguments = arguments[1:]
    if len(arguments) != 2:
        sys.exit(__doc__)
    source, target = map(pathlib.Path, arguments)
    measured, curves = load(source)
    folder = target.with_suffix("")
    written = document(measured, curves, folder.name)
    if is_check:
        if not target.exists() or target.read_text() != written:
            sys.exit(f"write_results: {target} is not what {source} gives: script/bench --results")
        return
    target.write_text(written)
    if not curves:
        return
    folder.mkdir(exist_ok=True)
    if shutil.which("gnuplot") is None:
        print("write_results: gnuplot is not installed: the plots stay as they are", file=sys.stderr)
        return
    for figure, lines in curves.items():
        plot(figure, lines, folder / f"{file_name(figure)}.svg")


if __name__ == "__main__":
    main()
