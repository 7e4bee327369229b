#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_layers: compares every include, and every link between CMake targets, with tests/shape/layers.txt.

Usage: check_layers.py ROOT [TABLE [TARGET_EDGES]]
Reads the source text before preprocessing: an include inside #if counts too. Prints one line for each violation,
which begins with file:line, and ends with status 1 if there was a violation.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
SOURCE = re.compile(r"\.(c|cpp|h|hpp|inc|def)(\.in)?$")
PUBLIC_FOLDER = "libgray/include"


class Table:
    """The rules of layers.txt: layer -> allowed folders, and the sets of the @ lines."""

    def __init__(self, path):
        self.allowed, self.host_safe, self.heavy, self.only, self.straight = {}, [], set(), {}, []
        with open(path, encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                self._read_line(line.split("#", 1)[0].strip(), f"{path}:{number}")

    def _read_line(self, line, place):
        if not line:
            return
        words = line.split()
        if words[0] == "@host-safe":
            self.host_safe += words[1:]
        elif words[0] == "@no-circles":
            self.straight += words[1:]
        elif words[0] == "@heavy":
            self.heavy |= set(words[1:])
        elif words[0] == "@only":
            self.only[words[1]] = words[2:]
        elif ":" in line:
            layer, folders = line.split(":", 1)
            self.allowed[layer.strip()] = folders.split()
        else:
            sys.exit(f"{place}: neither a layer nor a rule: {line}")

    def layer_of(self, path):
        fitting = [layer for layer in self.allowed if is_below(path, layer)]
        return max(fitting, key=len) if fitting else None

    def allows(self, layer, path):
        own = self.layer_of(path) == layer
        return own or any(is_below(path, folder) for folder in self.allowed[layer])


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


def source_files(root):
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders
                               if not name.startswith(".") and not (folder == root and name == "build"))
        for name in sorted(names):
            if SOURCE.search(name):
                yield os.path.relpath(os.path.join(folder, name), root)


def without_comments(text):
    """Replaces /* */ comments by blanks and keeps line numbers. A // in front of an include hides it from INCLUDE anyway."""
    return re.sub(r"/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.S)


def judge_project_include(table, layer, target):
    if not table.allows(layer, target):
        return f"{layer} may not include {target}"
    return None


def judge(root, table, path, quote, name):
    """Returns what is wrong with `#include name` in the file path, or None."""
    layer = table.layer_of(path)
    top_folders = {entry.split("/")[0] for entry in table.allowed}
    if is_below(name, "gray"):
        target = f"{PUBLIC_FOLDER}/{name}"
    elif quote == '"':
        if name.split("/")[0] not in top_folders or "/../" in name:
            return f'"{name}" is not written from the root of the repository'
        target = name
    else:
        target = name if name.split("/")[0] in top_folders and os.path.exists(os.path.join(root, name)) else None
    if target is not None:
        return f"{path} is in no layer" if layer is None else judge_project_include(table, layer, target)
    if layer is not None and any(is_below(path, safe) for safe in table.host_safe) and name in table.heavy:
        return f"<{name}> may not enter a host process ({layer})"
    home = table.only.get(name.split("/")[0])
    if home is not None and not any(is_below(path, folder) for folder in home):
        return f"<{name}> belongs to {', '.join(home)} alone"
    return None


def check_includes(root, table):
    for path in source_files(root):
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as stream:
            text = without_comments(stream.read())
        for number, line in enumerate(text.split("\n"), 1):
            match = INCLUDE.match(line)
            wrong = judge(root, table, path, *match.groups()) if match else None
            if wrong:
                yield f"{path}:{number}: {wrong}"


def circles(graph):
    """The sets of nodes that can reach each other (Tarjan), each sorted."""
    found, index, low, stack = [], {}, {}, []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            place = stack.index(node)
            if len(stack) - place > 1:
                found.append(sorted(stack[place:]))
            del stack[place:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def check_circles(root, table):
    """Finds units that include each other in a circle, in the folders of @no-circles. A header and its source are one unit."""
    graph = {}
    for path in source_files(root):
        unit = os.path.splitext(path)[0]
        if not any(is_below(path, folder) for folder in table.straight):
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as stream:
            text = without_comments(stream.read())
        named = (INCLUDE.match(line) for line in text.split("\n"))
        graph.setdefault(unit, set()).update(os.path.splitext(match.group(2))[0] for match in named if match)
        graph[unit].discard(unit)
    for circle in circles(graph):
        yield f"{circle[0]}: includes itself in a circle with {', '.join(circle[1:])}"


def check_targets(table, edges_path):
    layers, links = {}, {}
    with open(edges_path, encoding="utf-8") as stream:
        for line in stream:
            target, sources, linked = line.rstrip("\n").split("|")
            layers[target] = {table.layer_of(source) for source in sources.split()} - {None}
            links[target] = linked.split()
    for target, linked in sorted(links.items()):
        for other in linked:
            for there in sorted(layers[other]):
                allowed = any(here == there or table.allows(here, there) for here in layers[target])
                if layers[target] and not allowed:
                    yield f"target {target}: {', '.join(sorted(layers[target]))} may not link {other} ({there})"


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    root = os.path.abspath(sys.argv[1])
    here = os.path.dirname(os.path.abspath(__file__))
    table = Table(sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "layers.txt"))
    violations = [*check_includes(root, table), *check_circles(root, table)]
    if len(sys.argv) > 3:
        violations += check_targets(table, sys.argv[3])
    print("\n".join(violations), end="\n" if violations else "")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
