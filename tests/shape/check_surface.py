#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_surface: checks that every function of a libc that takes part in file I/O is interposed, or is listed as left alone.

    check_surface.py LEFT_ALONE TABLE... < NAMES

NAMES is the output of `nm -D --defined-only --with-symbol-versions` for the libc. LEFT_ALONE has these kinds of lines: "@look REGEX" for
names that take part in file I/O; "@skip REGEX" for names that only look so; and "because REASON", with the names to which the reason applies
indented below it. Prints a line for each name of the libc that is neither interposed nor left alone, or is both; then the status is 1.
"""
import re
import sys


def read_left_alone(path):
    """Returns the patterns to look for, the patterns to skip, a dictionary of name to reason, and what is wrong with the list."""
    patterns, skipped, reasons, reason, wrong = [], [], {}, None, []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            text = line.split("#")[0].rstrip()
            if text.startswith("@look "):
                patterns.append(re.compile(text[len("@look "):]))
            elif text.startswith("@skip "):
                skipped.append(re.compile(text[len("@skip "):]))
            elif text.startswith("because "):
                reason = text[len("because "):]
            elif text.startswith(" ") and reason:
                for name in text.split():
                    if name in reasons:
                        wrong.append(f"{path}:{number}: {name} stands there twice")
                    reasons[name] = reason
            elif text:
                wrong.append(f"{path}:{number}: what is this: {text}")
    return patterns, skipped, reasons, wrong


def read_tables(paths):
    names = set()
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            names.update(found[1] for found in (re.match(r"DISCNICE_[A-Z_]+\([^,]+, (\w+),", line) for line in lines) if found)
    return names


def read_libc(lines):
    """The functions that a program can use, without libc's private functions."""
    names = set()
    for line in lines:
        fields = line.split()
        if len(fields) == 3 and fields[1] in "TWi" and "GLIBC_PRIVATE" not in fields[2]:
            names.add(fields[2].split("@")[0])
    return names


def main():
    patterns, skipped, reasons, wrong = read_left_alone(sys.argv[1])
    interposed = read_tables(sys.argv[2:])
    libc = read_libc(sys.stdin)
    if not libc or not patterns or not interposed:
        sys.exit("check_surface: nothing to compare")
    for name in sorted(libc - interposed - set(reasons)):
        if any(pattern.search(name) for pattern in patterns) and not any(pattern.search(name) for pattern in skipped):
            wrong.append(f"{name}: this libc has it, its name says file I/O, and it is neither in interposed*.def nor in left_alone.txt")
    wrong += [f"{name}: interposed, and left alone because {reasons[name]}" for name in sorted(interposed & set(reasons))]
    for line in wrong:
        print(line)
    print(f"{len(libc)} functions of libc: {len(libc & interposed)} interposed, {len(libc & set(reasons))} left alone", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
