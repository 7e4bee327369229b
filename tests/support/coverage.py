# SPDX-License-Identifier: MIT
"""coverage: which lines of each layer were run by the tests of a build with GRAY_COVERAGE, one row for each folder.

Usage: python3 coverage.py BUILD. Uses only gcov. A line counts as run when any object that contains it ran it, so headers
and templates are counted once.
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

LAYERS = ("toolbox", "libgray", "microbench", "tools", "examples")


def count_files(build):
    for folder, _, names in os.walk(build):
        for name in names:
            if name.endswith(".gcda"):
                yield os.path.join(folder, name)


def gather(build, root):
    """(path from the root) -> {line: the highest count of any object}"""
    lines = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as scratch:
        for data in count_files(build):
            report = subprocess.run(["gcov", "--json-format", "--stdout", data], cwd=scratch, check=True,
                                    capture_output=True, text=True).stdout
            for record in report.splitlines():
                for entry in json.loads(record)["files"]:
                    path = os.path.relpath(os.path.join(root, entry["file"]), root)
                    if not path.startswith(LAYERS):
                        continue
                    for line in entry["lines"]:
                        number = line["line_number"]
                        lines[path][number] = max(lines[path].get(number, 0), line["count"])
    return lines


def main():
    if len(sys.argv) != 2 or not shutil.which("gcov"):
        print("coverage: wants one build folder, and gcov", file=sys.stderr)
        return 2
    build = os.path.abspath(sys.argv[1])
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
    folders = collections.defaultdict(lambda: [0, 0])
    for path, counts in gather(build, root).items():
        for name in (os.path.dirname(path), "all"):
            folders[name][0] += sum(1 for count in counts.values() if count)
            folders[name][1] += len(counts)
    print("\nLines run by the tests:")
    for name in sorted(folders, key=lambda key: (key == "all", key)):
        run, total = folders[name]
        print(f"  {name:32} {run:6} of {total:6}  {100 * run / max(total, 1):5.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
