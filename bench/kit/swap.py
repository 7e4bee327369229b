# SPDX-License-Identifier: MIT
"""swap: a swap file while a block runs. The whole host has that swap meanwhile.

  with swap.swap_file(folder): ...
"""
import contextlib
import subprocess

from programs import skip


@contextlib.contextmanager
def swap_file(folder, size="1G"):
    path = folder / "swap"
    subprocess.run(["fallocate", "-l", size, path], check=True)
    path.chmod(0o600)
    subprocess.run(["mkswap", "-q", path], check=True)
    if subprocess.run(["swapon", path], check=False).returncode != 0:
        skip(f"no swap file can be used in {folder}")
    try:
        yield
    finally:
        subprocess.run(["swapoff", path], check=True)
