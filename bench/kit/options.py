# SPDX-License-Identifier: MIT
"""options: the command line of every benchmark in Python.

  options.IS_SMOKE, options.TURNS          set by the first import, for the constants that depend on them
  options.parts(__doc__, PARTS)            the requested parts; without any all parts, or in a smoke run the parts named for it
  options.parser(__doc__, PARTS)           the same for a benchmark with options of its own: it adds them and calls read()

--smoke       a few seconds, only to show that it works; its figures are not valid
--turns N     how often each way is measured; TURNS=N in the environment has the same effect
--help        the head of the benchmark
An unknown word is reported in one line, with status 2.
"""
import argparse
import os

import programs


class Parser(argparse.ArgumentParser):
    def __init__(self, text="", **more):
        super().__init__(prog=programs.NAME, allow_abbrev=False, **more)
        self.text = text

    def format_help(self):
        return self.text

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")

    def one_of(self, names, name):
        """The name, if it is one of the known names."""
        if name not in names:
            self.error(f"there is no '{name}'; there are {' '.join(names)}")
        return name

    def read(self):
        return self.parse_intermixed_args(REST)


def count(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def read_common():
    """The options that all benchmarks have, and the words that are left for the benchmark's own parser."""
    common = Parser(add_help=False)
    common.add_argument("--smoke", action="store_true")
    common.add_argument("--turns", type=count, default=os.environ.get("TURNS", "5"))
    return common.parse_known_args()


COMMON, REST = read_common()
IS_SMOKE = COMMON.smoke
TURNS = 1 if IS_SMOKE else COMMON.turns
if IS_SMOKE:
    os.environ["GRAY_BENCH_SMOKE"] = "1"


def parser(text, parts):
    made = Parser(text)
    made.add_argument("parts", nargs="*", type=lambda name: made.one_of(parts, name))
    return made


def parts(text, known, in_smoke=None, without=()):
    """`without`: parts that run only when they are named."""
    asked = parser(text, known).read().parts
    return asked or [part for part in (in_smoke if IS_SMOKE and in_smoke else known) if part not in without]


def opening():
    """The first line of a benchmark: how often it measures, and on which host."""
    load = " ".join(map("{:.2f}".format, os.getloadavg()))
    return f"{programs.NAME}: {TURNS} turns, medians with extremes; Linux {os.uname().release}, {os.cpu_count()} processors, load {load}"
