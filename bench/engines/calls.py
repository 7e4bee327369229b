# SPDX-License-Identifier: MIT
"""calls: the time that a call takes longer when it is shown to discnice before it is made, and the time that the filter adds to other calls. Nothing is read from a disk."""
import subprocess

import rows as kit
from options import IS_SMOKE, TURNS
from programs import MB, held, run, scratch
from samples import spread
from setting import SHARES

PROGRAM = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static char block[1 << 18];
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}
int main(int count, char** words) {
  int file = open(words[1], O_RDONLY), n = atoi(words[2]), many = 100 * n;
  double start;
  (void)count;
  for (int i = 0; i < n / 10; ++i) if (pread(file, block, 131072, 0) != 131072) return 1;
  start = now();
  for (int i = 0; i < n; ++i) pread(file, block, 131072, 0);
  printf("%f ", (now() - start) / n);
  start = now();
  for (int i = 0; i < many; ++i) pread(file, block, 1, 0);
  printf("%f ", (now() - start) / many);
  start = now();
  for (int i = 0; i < many; ++i) syscall(SYS_getppid);
  printf("%f\n", (now() - start) / many);
  return 0;
}
"""
NAMES = {"shown": "a read of 128 KiB in memory, shown", "read": "a read of one byte", "other": "getppid()"}


def part():
    with scratch() as folder:
        source, program, path = folder / "calls.c", folder / "calls", folder / "warm"
        source.write_text(PROGRAM)
        if subprocess.run(["cc", "-O1", "-w", "-static", "-o", program, source], check=False, capture_output=True).returncode != 0:
            print("not shown: calls (no static program can be linked here)")
            return
        path.write_bytes(bytes(MB))
        run("sync", "-f", folder)
        command = [str(program), str(path), "1000" if IS_SMOKE else "20000"]

        def taken(prefix):
            return [float(word) for word in subprocess.run([*prefix, *command], check=True, capture_output=True, text=True).stdout.split()]

        more = {name: [] for name in NAMES}
        for _ in SHARES.turns("calls", TURNS):
            plain, shown = taken([]), taken(held("--engine", "notify", "--rate", "5MB"))
            for name, before, after in zip(NAMES, plain, shown):
                more[name].append(after - before)
        for name, added in more.items():
            print(f"{NAMES[name]}: {spread(added, '{:+.0f}')} ns more", flush=True)
            kit.row(f"engines/call/{name}", added)
