# SPDX-License-Identifier: MIT
"""windows: the most that the disk moves within any second, over the rate."""
import rows as kit
from emulated_disk import Disk
from options import IS_SMOKE, TURNS
from programs import MB, evict, held, run
from sampler import Sampler
from samples import spread
from setting import SHARES


def part():
    seconds = 3 if IS_SMOKE else 8
    rate = 10 * MB
    with Disk() as disk:
        path = disk.file("cold", rate * seconds)
        worst = {"reads": [], "writes, smooth": [], "writes, left to the kernel": []}
        for _ in SHARES.turns("windows", TURNS):
            evict(path)
            with Sampler(lambda: disk.moved()[0]) as reads:
                run(*held("--rate", "10MB"), "dd", f"if={path}", "of=/dev/null", "bs=64k")
            worst["reads"].append(reads.worst_second() / rate)
            for name, option in (("writes, smooth", "auto"), ("writes, left to the kernel", "off")):
                target = disk.folder / "target"
                write = ["dd", "if=/dev/zero", f"of={target}", "bs=64k", f"count={rate * seconds // 65536}", "conv=fsync"]
                with Sampler(lambda: disk.moved()[1]) as writes:
                    run(*held("--rate", "10MB", "--smooth-writes", option), *write)
                worst[name].append(writes.worst_second() / rate)
                target.unlink()
        for name, figures in worst.items():
            print(f"worst second at 10 MB/s, {name:28} {spread(figures)} of the rate")
        kit.row("throttle/worst-second/reads", worst["reads"])
        kit.row("throttle/worst-second/writes", worst["writes, smooth"], note=f"left to the kernel {spread(worst['writes, left to the kernel'])}")
