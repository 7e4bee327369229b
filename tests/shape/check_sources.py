#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_sources: checks the first lines of every source file, and the length of every function.

Usage: check_sources.py ROOT
  - the first line must be the SPDX line (the second line after #!);
  - the next line of a header, or of a source without a header of the same name, must say the file's name and purpose;
  - a function at namespace scope, or of a shell script, must end within FUNCTION_LINES_MAX lines.
The length is taken from the layout that clang-format enforces: a function starts with a line in the first column that ends in
"{", and ends with the next "}" in the first column. Methods written inside their class are left to clang-tidy (script/lint).
Prints one line for each violation; status 1 if there was one.
"""
import os
import re
import sys

FUNCTION_LINES_MAX = 70
SPDX = "SPDX-License-Identifier: MIT"
CPP = re.compile(r"\.(c|cpp|h|hpp|inc|def)(\.in)?$")
SCRIPT = re.compile(r"\.(sh|bash|py|cmake|cmake\.in)$|^CMakeLists\.txt$")
NOT_A_FUNCTION = re.compile(r"^(namespace|(template.*> )?(class|struct|union|enum)\b|extern \"C\"|#|//|using|constexpr [^(]*= *\{|\})")
TYPE = re.compile(r"^(template.*> )?(class|struct|union|enum)\b")
SHELL_FUNCTION = re.compile(r"^[a-z_0-9]+\(\) \{$")


def files(root):
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders
                               if name not in (".git", "corpus", "__pycache__") and not (folder == root and name == "build"))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                yield os.path.relpath(path, root)


def kind_of(path, lines):
    name = os.path.basename(path)
    if CPP.search(name):
        return "cpp"
    if name.endswith((".sh", ".bash")) or (lines and lines[0].startswith("#!") and "sh" in lines[0]):
        return "shell"
    if SCRIPT.search(name) or (lines and lines[0].startswith("#!")):
        return "script"
    return None


def judge_head(root, path, kind, lines):
    first = 1 if lines and lines[0].startswith("#!") else 0
    if len(lines) <= first or SPDX not in lines[first]:
        return f"{path}:{first + 1}: the line '{SPDX}' is missing"
    if kind != "cpp":
        return None
    stem, ending = os.path.splitext(os.path.basename(path))
    if ending in (".c", ".cpp") and os.path.exists(os.path.join(root, os.path.splitext(path)[0] + ".hpp")):
        return None
    place = first + 1
    if lines[place:place + 1] == ["/*"]:  # a longer comment of C begins on the line below
        place += 1
    text = lines[place] if len(lines) > place else ""
    name = r"[\w-]+" if stem == "main" else re.escape(stem)  # the head of main.cpp names its program
    if not re.match(rf"^(// |/\* ?| \* ?){name}[\w.]*: .", text):
        return f"{path}:{place + 1}: the file does not begin with its name and purpose, '// {stem}: ...'"
    return None


def functions(kind, lines):
    """Yields (first line, count of lines) for every function that starts in the first column."""
    start = None
    in_type = False
    for number, line in enumerate(lines, 1):
        if line.startswith("}"):
            if start is not None:
                yield start, number - start + 1
            start, in_type = None, False
        elif start is None and not in_type:
            in_type = bool(TYPE.match(line)) and line.endswith("{")
            if SHELL_FUNCTION.match(line) if kind == "shell" else opens_function(line):
                start = number


def opens_function(line):
    """Whether this line opens a function. When a signature has several lines, its last, deeply indented line opens the function."""
    return bool(line.endswith("{") and ")" in line and not NOT_A_FUNCTION.match(line) and not re.match(r"^ {1,3}\S", line))


def check(root):
    for path in files(root):
        try:
            with open(os.path.join(root, path), encoding="utf-8") as stream:
                lines = stream.read().split("\n")
        except UnicodeDecodeError:
            continue
        kind = kind_of(path, lines)
        if kind is None:
            continue
        wrong = judge_head(root, path, kind, lines)
        if wrong:
            yield wrong
        for start, count in functions(kind, lines) if kind in ("cpp", "shell") else ():
            if count > FUNCTION_LINES_MAX:
                yield f"{path}:{start}: a function of {count} lines; {FUNCTION_LINES_MAX} is the limit"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    violations = list(check(os.path.abspath(sys.argv[1])))
    print("\n".join(violations), end="\n" if violations else "")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
