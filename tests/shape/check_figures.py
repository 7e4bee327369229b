#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_figures: checks that each figure that microbench measures has a program that reads it, or a reason why a person wants it.

  check_figures.py [ROOT]            prints what is wrong; status 1 if anything is
  check_figures.py --write [ROOT]    writes the table in docs/repository-format.md anew

The figure's line in microbench/benchmarks names its readers and its reason (Output in microbench/benchmark.hpp); for keys that are only set by hand, the line in microbench/registry.cpp. A
reader is a folder whose code names the key. The line must name each folder of libgray and tools whose code names the key; "microbench report" counts as a reader,
too. A shipped default must belong to a figure that has a line. The table in the docs is made from those lines.
"""
import pathlib
import re
import sys

IS_WRITING = "--write" in sys.argv[1:]
ARGUMENTS = [argument for argument in sys.argv[1:] if argument != "--write"]
ROOT = pathlib.Path(ARGUMENTS[0] if ARGUMENTS else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parents[2]

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TEXT = r'((?:"[^"]*"\s*)+)'
TABLE = re.compile(r"constexpr Output (\w+)\[\] = \{(.*?)\n\};", re.S)
FIGURE = re.compile(r"\{\s*" + r",\s*".join([TEXT] * 6))
OPENED = re.compile(r'\{\s*"([a-z0-9_]+(?:\.[a-z0-9_]+)+)"')
DEFAULT = re.compile(r'^\s*\{"([a-z0-9_.]+)",', re.M)
REPORT, PAGE = "microbench report", "microbench/page.cpp"
WORDS_MIN = 5  # "a person" is not a reason
DOCS, BEGIN, END = "docs/repository-format.md", "<!-- figures: written by tests/shape/check_figures.py --write -->", "<!-- end of figures -->"


def code_of(path):
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


def joined(literals):
    return "".join(re.findall(r'"([^"]*)"', literals))


def figures_of(path):
    """Yields (key, unit, meaning, readers, reason) for each line of the tables in a source."""
    for _, lines in TABLE.findall(code_of(path)):
        found = [[joined(part) for part in figure] for figure in FIGURE.findall(lines)]
        if len(found) != len(OPENED.findall(lines)):
            sys.exit(f"{path.relative_to(ROOT)}: a line of its table of figures is not understood")
        for key, unit, _, meaning, readers, reason in found:
            yield key, unit, meaning, [reader.strip() for reader in readers.split(",") if reader.strip()], reason


def problems_of(figure, code, place):
    """Yields what is wrong with one figure. `code` maps the path of each source to its text."""
    key, _, _, readers, reason = figure
    quoted = f'"{key}"'
    if not readers and not reason:
        yield f"{place}: {key} has neither a reader nor a reason"
    if reason and len(reason.split()) < WORDS_MIN:
        yield f"{place}: '{reason}' does not say what a person does with {key}"
    for reader in readers:
        files = [PAGE] if reader == REPORT else [path for path in code if path.startswith(f"{reader}/")]
        if not any(quoted in code.get(path, "") for path in files):
            yield f"{place}: {key} is said to be read by {reader}, which does not name it"
    for path in sorted(path for path in code if path.startswith(("libgray/", "tools/")) and quoted in code[path]):
        if not any(path.startswith(f"{reader}/") for reader in readers):
            yield f"{path}: reads {key}, which {place} does not say"


def table_of(figures):
    yield "| figure | unit | what it is | read by | what it tells a person |"
    yield "| --- | --- | --- | --- | --- |"
    for key, unit, meaning, readers, reason in sorted(figures):
        yield f"| `{key}` | {unit} | {meaning} | {', '.join(f'`{reader}`' for reader in readers)} | {reason} |"


def docs_problem(figures):
    path = ROOT / DOCS
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    wanted = "\n".join([before + BEGIN, "", *table_of(figures), "", END + after])
    if not begin or not end:
        yield f"{DOCS}: has no place for the table of figures"
    elif IS_WRITING:
        path.write_text(wanted, encoding="utf-8")
    elif text != wanted:
        yield f"{DOCS}: its table is not that of the sources: tests/shape/check_figures.py --write"


def main():
    code = {str(path.relative_to(ROOT)): code_of(path) for folder in ("libgray", "tools", "microbench") for path in (ROOT / folder).rglob("*.cpp")}
    figures, problems = [], []
    for path in [*sorted((ROOT / "microbench/benchmarks").glob("*.cpp")), ROOT / "microbench/registry.cpp"]:
        if path.exists():
            for figure in figures_of(path):
                figures.append(figure)
                problems += problems_of(figure, code, path.relative_to(ROOT))
    if not figures:
        sys.exit("no figure was found in microbench/benchmarks")
    defaults = ROOT / "toolbox/repo/shipped_defaults.cpp"
    known = {figure[0] for figure in figures}
    if defaults.exists():
        problems += [f"{defaults.relative_to(ROOT)}: {key} is no figure" for key in DEFAULT.findall(code_of(defaults)) if key not in known]
    problems += docs_problem(figures)
    print("\n".join(problems) or f"figures: each of {len(figures)} has a reader or a reason")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
