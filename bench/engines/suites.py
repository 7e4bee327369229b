# SPDX-License-Identifier: MIT
"""suites: programs that make thousands of system calls to test themselves: CPython's tests of files and processes, and the tests of Go's package os. Each test must have the same outcome under an engine as without."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import rows as kit
from options import IS_SMOKE, TURNS
from programs import held
from setting import SHARES

ENGINES = ("notify", "pace")
PYTHONS = ("python3", "/usr/bin/python3", *(f"python3.{minor}" for minor in range(9, 20)))
MODULES = ("test_mmap",) if IS_SMOKE else ("test_io", "test_os", "test_subprocess", "test_mmap", "test_largefile", "test_shutil")

# The report of the test framework would mix with the output of the tests' programs, so the outcomes go to a file.
RUNNER = """
import json, sys, unittest
outcomes = {}
class Outcomes(unittest.TestResult):
    def addSuccess(self, test): outcomes.setdefault(test.id(), "passed")
    def addSkip(self, test, reason): outcomes[test.id()] = "skipped"
    def addFailure(self, test, error): outcomes[test.id()] = "failed"
    def addError(self, test, error): outcomes[test.id()] = "failed"
    def addExpectedFailure(self, test, error): outcomes[test.id()] = "failed as expected"
    def addUnexpectedSuccess(self, test): outcomes[test.id()] = "passed unexpectedly"
    def addSubTest(self, test, part, error):
        if error: outcomes[test.id()] = "failed"
unittest.defaultTestLoader.loadTestsFromNames(sys.argv[2:])(Outcomes())
json.dump(outcomes, open(sys.argv[1], "w"))
"""


def quiet(command, folder):
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")


class Python:
    """Uses the first python3 that has its tests. Returns {name of a test: its outcome}."""
    name = "CPython"

    def __init__(self):
        found = (quiet([one, "-c", "import sys, test.test_io; print(sys.executable)"], "/") for one in PYTHONS if shutil.which(one))
        self.program = next((one.stdout.strip() for one in found if one.returncode == 0), None)
        self.lacking = None if self.program else "no python3 here brings its tests"

    def outcomes(self, prefix, folder):
        report = pathlib.Path(folder, "outcomes.json")
        report.unlink(missing_ok=True)
        run = quiet([*prefix, self.program, "-c", RUNNER, report, *(f"test.{module}" for module in MODULES)], folder)
        if not report.exists():
            raise RuntimeError(f"the tests ended before their report: {run.stderr[-1000:]}")
        return json.loads(report.read_text())


class Go:
    """The tests of Go's package os, compiled once."""
    name = "Go"

    def __init__(self):
        self.program = None
        self.lacking = None
        go = shutil.which("go")
        self.source = go and pathlib.Path(quiet([go, "env", "GOROOT"], "/").stdout.strip(), "src", "os")
        if not go or not self.source.is_dir():
            self.lacking = "go, or its sources, are not installed"
            return
        self.build = tempfile.TemporaryDirectory(prefix="gray-suites.")
        self.program = pathlib.Path(self.build.name, "os.test")
        built = quiet([go, "test", "-c", "-o", self.program, "os"], self.source)
        if built.returncode:
            self.lacking = f"the tests of package os do not compile: {built.stderr.strip().splitlines()[-1]}"

    def outcomes(self, prefix, folder):
        arguments = ["-test.v", "-test.short", "-test.run=^Test[A-M]"] if IS_SMOKE else ["-test.v"]
        run = quiet([*prefix, self.program, *arguments], self.source)
        return {name: outcome for outcome, name in re.findall(r"^\s*--- (PASS|FAIL|SKIP): (\S+)", run.stdout, re.MULTILINE)}


def differing(plain, held_outcomes):
    return sorted(name for name in plain.keys() | held_outcomes.keys() if plain.get(name) != held_outcomes.get(name))


def part():
    for suite in (Python(), Go()):
        if suite.lacking:
            print(f"not shown: suites of {suite.name} ({suite.lacking})")
            continue
        wrong = {engine: [] for engine in ENGINES}
        with tempfile.TemporaryDirectory(prefix="gray-suites.", dir=os.environ.get("GRAY_SCRATCH", "/var/tmp")) as folder:
            for _ in SHARES.turns("suites", TURNS):
                plain = suite.outcomes([], folder)
                for engine in ENGINES:
                    names = differing(plain, suite.outcomes(held("--rate", "1G", "--engine", engine), folder))
                    wrong[engine].append(len(names))
                    print(f"suites of {suite.name}, {engine:6}: {len(plain)} tests, {len(names)} with another outcome {' '.join(names[:5])}", flush=True)
        for engine in ENGINES:
            kit.row("engines/suites", wrong[engine], variant=f"{suite.name}, {engine}", note=f"of {len(plain)}")
