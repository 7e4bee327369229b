# SPDX-License-Identifier: MIT
"""speed: the job's own speed: alone, beside a foreground that uses half the disk's time, and beside a foreground that hardly uses the machine's own disk."""
import statistics
import time

import backgrounds
import disks
import foregrounds
import job
import peers
import programs
import rows as kit

BESIDE_S = 12.0
LIGHT_S = 6.0
WAYS = ("plain", *peers.OURS)


def run_once(background, place, way):
    """The seconds of one round from an uncached disk: to its end, and to the moment at which all its data is on the disk."""
    with job.Job(background, place, peers.WAYS["alone"]):
        start_s = time.monotonic()
        _, status = programs.timed([*peers.WAYS[way].prefix, "sh", "-c", f"cd {place.target} && {background.once(place)}"])
        ended_s = time.monotonic() - start_s
        programs.run("sync", "-f", place.target)
    if status != 0:
        raise RuntimeError(f"{background.says} ended with status {status} under {way}")
    return ended_s, time.monotonic() - start_s


def alone(names, turns):
    """The job's speed alone, over plain."""
    for name in names:
        background = backgrounds.ALONE[name]
        took = {way: [] for way in WAYS}
        with disks.pair("hdd7200", background.is_to_another_disk, True) as (disk, other):
            place = backgrounds.Place(disk, other)
            background.prepare(place)
            for turn in turns(f"own-speed/{name}"):
                for way in peers.in_order(WAYS, turn):
                    took[way].append(run_once(background, place, way))
        plain = [statistics.median(column) for column in zip(*took["plain"])]
        for way in peers.OURS:
            on_disk = statistics.median(100 * plain[1] / synced for _, synced in took[way])
            kit.row(f"beside/own-speed/{name}/{way}", [100 * plain[0] / ended for ended, _ in took[way]],
                    note=f"to the command's end, plain {plain[0]:.2f} s; to when all is on the disk {on_disk:.0f} %, plain {plain[1]:.2f} s")


def moved_beside(background, place, way, kind, turn, seconds=BESIDE_S):
    """The foreground's figures, and the MB/s that the job moved meanwhile."""
    with job.Job(background, place, peers.WAYS[way]) as working:
        before, start_s = sum(place.disk.moved()), time.monotonic()
        figures = foregrounds.measure(kind, place.disk, turn, seconds)
        moved = (sum(place.disk.moved()) - before) / programs.MB - figures.get("read", 0)
        took_s = time.monotonic() - start_s
        if not working.is_running():
            raise RuntimeError(f"{background.says} had ended before the foreground: this would be no figure")
    return figures, moved / took_s


def beside_half(turns):
    """Which part of the disk's time that the foreground leaves does the job get? That time is what plain moves alone, while the foreground does not read."""
    background = backgrounds.BACKGROUNDS["rsync"]
    with disks.pair("hdd7200", False, True) as (disk, other):
        place = backgrounds.Place(disk, other)
        background.prepare(place)
        foregrounds.prepare(disk)
        lone, reads, shares = [], {way: [] for way in ("alone", *WAYS)}, {way: [] for way in WAYS}
        for turn in turns("half"):
            lone.append(moved_beside(background, place, "plain", "nothing", turn)[1])
            reads["alone"].append(moved_beside(background, place, "alone", "half", turn)[0]["read"])
            for way in peers.in_order(WAYS, turn):
                figures, rate = moved_beside(background, place, way, "half", turn)
                shares[way].append(100 * rate / (statistics.median(lone) * (1 - figures["busy"])))
                reads[way].append(figures["read"])
    felt = {way: [statistics.median(reads["alone"]) / read for read in reads[way]] for way in WAYS}
    for way in peers.OURS:
        kit.row(f"beside/half/{way}", shares[way], peers={"plain": statistics.median(shares["plain"])}, note="more than is left is taken from the foreground")
        kit.row(f"beside/half-felt/{way}", felt[way], peers={"plain": statistics.median(felt["plain"])})


def beside_light(turns):
    """A program calls fsync() five times a second on the machine's own disk, as a browser or a log does. Measures the speed of a job of many small files, and the delay of the fsync calls."""
    background = backgrounds.BACKGROUNDS["tar-c"]
    with disks.pair("own", False, True) as (disk, other):
        place = backgrounds.Place(disk, other)
        background.prepare(place)
        foregrounds.prepare(disk)
        rates, felt = {way: [] for way in WAYS}, {way: [] for way in ("alone", *WAYS)}
        for turn in turns("light"):
            for way in peers.in_order(("alone", *WAYS), turn):
                figures, rate = moved_beside(background, place, way, "sync", turn, LIGHT_S)
                felt[way].append(figures["sync"])
                if way in rates:
                    rates[way].append(rate)
    plain, alone_ms = statistics.median(rates["plain"]), statistics.median(felt["alone"])
    for way in peers.OURS:
        kit.row(f"beside/light/{way}", [100 * rate / plain for rate in rates[way]], note=f"plain moved {plain:.0f} MB/s")
        kit.row(f"beside/light-felt/{way}", [ms / alone_ms for ms in felt[way]], peers={"plain": statistics.median(felt["plain"]) / alone_ms}, note=f"alone {alone_ms:.2f} ms")
