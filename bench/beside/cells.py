# SPDX-License-Identifier: MIT
"""cells: runs a foreground beside a background in each way, again and again, and reports as rows: the foreground's time beside the background over its time alone."""
import random
import statistics
import time

import backgrounds
import disks
import foregrounds
import job
import peers
import programs
import rows as kit
import samples


# In each turn the foreground comes at a different moment, so that it does not always meet the same part of the job's round. Within one turn the moment is the same for all ways.
LEAD_S = (1.0, 3.0)


def cell(background, place, way, kind, turn):
    """{figure: value} of one foreground beside the background, with the MB that the disk moved meanwhile and the seconds; None when there is no valid figure."""
    lead_s = random.Random(f"{kind} {turn}").uniform(*LEAD_S)
    with job.Job(background, place, way, lead_s) as working:
        before, start_s = sum(place.disk.moved()), time.monotonic()
        figures = foregrounds.measure(kind, place.disk, turn)
        figures[f"{kind}/moved"] = (sum(place.disk.moved()) - before) / programs.MB
        figures[f"{kind}/took"] = time.monotonic() - start_s
        if working.is_running():
            return figures
    print(f"   (the background had ended before the end of {kind}: this is no figure)")
    return dict.fromkeys(figures)


def taken(background, place, ways, kinds, turns):
    """Returns {way: {figure: [a value for each turn]}}."""
    found = {way: {} for way in ways}
    for turn in turns:
        for way in peers.in_order(ways, turn):
            figures = found[way]
            if turn % 3 != 0 and way not in peers.EACH_TURN:
                continue
            for kind in kinds:
                for figure, value in cell(background, place, peers.WAYS[way], kind, turn).items():
                    figures.setdefault(figure, []).append(value)
            told = (f"{figure} {values[-1]:.2f}" for figure, values in figures.items() if values[-1] is not None)
            print(f"   turn {turn + 1} {way:14}", *told, flush=True)
    return found


def over_alone(found, figure):
    """Returns {way: [over alone]}, without the missing values."""
    alone = statistics.median(found["alone"][figure])
    return {way: [value / alone for value in figures[figure] if value is not None] for way, figures in found.items()}


def moved_beside(figures, alone, kind):
    """The background's MB/s while the foreground ran."""
    own = statistics.median(alone[f"{kind}/moved"])
    rates = [(moved - own) / took for moved, took in zip(figures[f"{kind}/moved"], figures[f"{kind}/took"]) if moved is not None]
    return statistics.median(rates) if rates else 0.0


def show(found, kinds):
    for kind in kinds:
        for figure in foregrounds.FIGURES[kind]:
            for way, values in over_alone(found, figure).items():
                absolute = samples.spread(found[way][figure], "{:.3g}")
                moved = moved_beside(found[way], found["alone"], kind)
                print(f"   {figure:13} {way:14} {samples.spread(values, '{:.2f}'):24} = {absolute:26} job {moved:6.1f} MB/s")


def report(name, found, kinds, variant):
    """A row for each figure and way of discnice, with its peers beside it."""
    says = backgrounds.BACKGROUNDS[name].says
    for kind in kinds:
        for figure, what in foregrounds.FIGURES[kind].items():
            over = over_alone(found, figure)
            beside = {way: statistics.median(values) for way, values in over.items() if values and way != "alone" and way not in peers.DISCNICE}
            for way in [way for way in peers.DISCNICE if over.get(way)]:
                alone = f"{samples.spread(found['alone'][figure], '{:.3g}')} {'ms' if kind == 'fsync' else 's'}"
                note = f"the job moved {moved_beside(found[way], found['alone'], kind):.1f} MB/s; alone {alone}"
                kit.row(f"beside/{name}/{figure}/{way}", over[way], variant=variant, peers=beside, note=note,
                        what=f"{what}, beside {says}, {way}, over alone", unit="x", part="beside")


def part(name, ways, kinds, turns, disk_name="hdd7200", is_plenty=False):
    """The whole table of one background."""
    background = backgrounds.BACKGROUNDS[name]
    if background.lacks():
        print(f"beside: {name} is left out: not here: {background.lacks()}")
        return
    variant = ", ".join(word for word in (disk_name if disk_name != "hdd7200" else "", "with memory in plenty" if is_plenty else "") if word)
    ways = [way for way in ways if peers.WAYS[way].suits(name)]
    print(f"\n{background.says}{', ' + variant if variant else ''}")
    with disks.pair(disk_name, background.is_to_another_disk, not is_plenty) as (disk, other):
        place = backgrounds.Place(disk, other)
        background.prepare(place)
        foregrounds.prepare(disk)
        found = taken(background, place, ways, kinds, turns)
    show(found, kinds)
    report(name, found, kinds, variant)
