#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_callers: each public function and type of toolbox/ is used by something that is no test: by another file of the toolbox, the library or a program.

A function that only its own test calls is a promise that nobody asked for. A name counts as used if it stands in a file other than its own header and source,
or if another name of the same header or source uses it. When two headers declare the same name, the check does not tell them apart:
one user counts for both.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parents[2]
FOLDERS = ("toolbox", "libgray", "microbench", "tools", "examples", "bench")

# A declaration of a function or type that begins in the first column, and so is not in a class.
FUNCTION = re.compile(r"^(?:inline |constexpr |template <[^>]*>\s*)*[A-Za-z_][\w:<>,&* ]*?[ &*](\w+)\(", re.M)
TYPE = re.compile(r"^(?:class|struct|enum class) (\w+)", re.M)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
IS_DECLARED_ELSEWHERE = {"operator", "static_assert", "if", "for", "while", "switch", "return", "main"}


def code_of(path):
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


def main():
    files = {path: code_of(path) for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".cpp", ".hpp", ".h")}
    unused = []
    for header in sorted(path for path in files if path.suffix == ".hpp" and path.is_relative_to(ROOT / "toolbox")):
        names = {*FUNCTION.findall(files[header]), *TYPE.findall(files[header])} - IS_DECLARED_ELSEWHERE
        for name in sorted(names):
            word = re.compile(rf"\b{name}\b")
            used = any(word.search(text) for path, text in files.items() if path.with_suffix("") != header.with_suffix(""))
            # A name that another name of the same header uses is not reported.
            source = files.get(header.with_suffix(".cpp"), "")
            if not used and len(word.findall(files[header])) < 2 and len(word.findall(source)) < 2:
                unused.append(f"{header.relative_to(ROOT)}: nobody but a test uses {name}")
    print("\n".join(unused) or f"callers: each name of {len([p for p in files if p.is_relative_to(ROOT / 'toolbox')])} files of the toolbox has a user")
    return 1 if unused else 0


if __name__ == "__main__":
    sys.exit(main())
