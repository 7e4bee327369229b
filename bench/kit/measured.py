#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""measured: runs a command, discards its output, and prints its wall time and its processor time in seconds and the disk blocks that it read.

  measured.py [NAME=VALUE...] CMD...       sets these in CMD's environment; the figures are those of CMD and all processes that it waited for
                                           (getrusage); the status is CMD's
"""
import os
import sys
import time

command = sys.argv[1:]
environment = dict(os.environ)
while command and "=" in command[0]:
    name, _, value = command.pop(0).partition("=")
    environment[name] = value
nothing = os.open(os.devnull, os.O_WRONLY)
start_s = time.monotonic()
child = os.posix_spawnp(command[0], command, environment, file_actions=[(os.POSIX_SPAWN_DUP2, nothing, 1)])
_, status, usage = os.wait4(child, 0)
wall_s = time.monotonic() - start_s
print(f"{wall_s:.6f} {usage.ru_utime + usage.ru_stime:.6f} {usage.ru_inblock}")
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
