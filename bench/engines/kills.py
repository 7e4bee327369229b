# SPDX-License-Identifier: MIT
"""kills: the launcher is killed at a random moment. The program must go on, its output must be right, and no process may stay stopped."""
import filecmp
import os
import pathlib
import random
import signal
import subprocess
import time

import rows as kit
from options import IS_SMOKE
from programs import MB, evict, held, run, scratch
from setting import SHARES, program_of

KILLS = 5 if IS_SMOKE else int(os.environ.get("KILLS", "200"))
BLOCKS = (1 << 20, 1 << 16)  # reads that are shown before they are made, and reads that are not
COPIER = r"""
#include <fcntl.h>
#include <unistd.h>
#include <stdlib.h>
static char block[1 << 20];
int main(int count, char** names) {
  long size = atol(names[3]);
  int from = open(names[1], O_RDONLY), to = open(names[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  long got;
  while ((got = read(from, block, size)) > 0) if (write(to, block, got) != got) return 1;
  return fsync(to);
}
"""


def state_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def killed(program, source, copy, block, generator):
    """Returns '' when nothing was wrong."""
    evict(source)
    copy.unlink(missing_ok=True)
    with subprocess.Popen(held("--rate", "4MB") + [str(program), str(source), str(copy), str(block)], stderr=subprocess.DEVNULL, start_new_session=True) as launcher:
        pid = program_of(launcher.pid)
        time.sleep(generator.uniform(0.0, 0.8))
        launcher.send_signal(signal.SIGKILL)
    until = time.monotonic() + 3
    while state_of(pid) not in ("", "Z") and time.monotonic() < until:
        time.sleep(0.01)
    if state_of(pid) not in ("", "Z"):
        return f"the program is in state {state_of(pid)}"
    return "" if filecmp.cmp(source, copy, shallow=False) else "other bytes came out"


def part():
    SHARES.take("kills")
    with scratch() as folder:
        (folder / "copier.c").write_text(COPIER)
        program, source = folder / "copier", folder / "source"
        if run("cc", "-O1", "-static", "-o", program, folder / "copier.c").returncode != 0:
            print("not shown: kills (no static program can be made here)")
            return
        source.write_bytes(os.urandom(4 * MB))
        run("sync", source)
        seed = int(os.environ.get("GRAY_SEED", "31"))
        generator = random.Random(seed)
        wrong = [said for said in (killed(program, source, folder / "copy", BLOCKS[i % 2], generator) for i in range(KILLS)) if said]
    print(f"launcher killed {KILLS} times (seed {seed}): {len(wrong)} times wrong {set(wrong) or ''}", flush=True)
    kit.row("engines/kills-wrong", [len(wrong)], note=f"of {KILLS}, seed {seed}")
