# SPDX-License-Identifier: MIT
"""_params: the figures that microbench has measured of this host, as docs/repository-format.md describes their file.

A file is used only where it is whole and of this very host: machine, processor, kernel and hypervisor. Otherwise it counts as absent, and `problems` says why.
"""
from __future__ import annotations

import os
import re
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from . import _device
from ._native import Path

FORMAT_VERSION = 1
HOST_FOLDER = "/var/lib/gray"
VARIABLE_PREFIX = "GRAY_PARAM_"
FNV_START, FNV_PRIME = 0xcbf29ce484222325, 0x100000001b3

# The parameters that a variable may set although nobody has measured them, and their units.
SET_BY_HAND = {"cache.hit_ns": "ns", "cache.threshold_ns": "ns", "disk.access_unit_bytes": "bytes", "disk.miss_ns": "ns",
               "disk.random_over_sequential": "1", "disk.random_read_ns": "ns", "disk.readahead_max_bytes": "bytes", "disk.readahead_rules": "1",
               "disk.sequential_bytes_per_s": "bytes/s", "filecache.access_unit_bytes": "bytes", "filecache.prediction_unit_bytes": "bytes",
               "memory.touch_4k_ns": "ns", "timer.overhead_ns": "ns"}


class Parameter(NamedTuple):
    """One figure."""

    value: float
    """In `unit`."""
    unit: str
    """"ns", "bytes", "bytes/s", ...; "1" of a ratio."""
    spread: Optional[float]
    """How far another measurement may lie off, in the same unit; None: not known."""
    samples: int
    """How many measurements; 0 of what was set by hand."""
    method: str
    date: str
    """UTC, YYYY-MM-DDThh:mm:ssZ; "-" of what was set by hand."""
    source: str
    """"environment", "user" or "host"."""


class Params(Mapping[str, Parameter]):
    """The figures by name: "disk.miss_ns" for the host, "disk.miss_ns@DEVICE" for one device. Not changed once made: any number of threads."""

    def __init__(self, found: Dict[str, Parameter], device: str, problems: Tuple[str, ...]) -> None:
        self._found = found
        self.device = device
        """The name of the device for which figures were asked; empty: none."""
        self.problems = problems
        """A sentence for each file and variable that is there and cannot be used."""

    def __getitem__(self, name: str) -> Parameter:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<{len(self)} figures of this host>"


def fnv(text: bytes) -> int:
    value = FNV_START
    for byte in text:
        value = (value ^ byte) * FNV_PRIME & 0xffffffffffffffff
    return value


def one_line(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", " ", text).strip(" ")


def read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()
    except OSError:
        return ""


def machine_id() -> str:
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        found = one_line(read_text(path).partition("\n")[0])
        if found and not found.strip("0123456789abcdef"):
            return found
    return "host:" + one_line(os.uname().nodename)


def fingerprint() -> List[Tuple[str, str]]:
    """What tells this host from any other, as the file has it."""
    fields: Dict[str, str] = {}
    for line in read_text("/proc/cpuinfo").splitlines():
        label, _, value = line.partition(":")
        fields.setdefault(one_line(label), one_line(value))
    processor = fields.get("model name") or ""
    if not processor and fields.get("CPU implementer"):
        processor = f"implementer {fields['CPU implementer']} part {fields.get('CPU part', '')}"
    has_hypervisor = "hypervisor" in fields.get("flags", "").split() or any(map(os.path.exists, ("/sys/hypervisor/type", "/proc/device-tree/hypervisor")))
    return [("machine-id", machine_id()), ("cpu-model", processor or "unknown"), ("kernel-release", one_line(os.uname().release)),
            ("hypervisor", "yes" if has_hypervisor else "no")]


def parse_line(line: str, source: str) -> Tuple[str, Parameter]:
    name, value, unit, spread, samples, method, date = line.split(" ")
    return name, Parameter(float(value), unit, None if spread == "-" else float(spread), int(samples), method, date, source)


def decode(text: bytes, here: List[Tuple[str, str]], source: str) -> Dict[str, Parameter]:
    """The parameters of a file; ValueError says in a phrase why it cannot be used."""
    body, _, last = text[:-1].rpartition(b"\n")
    body += b"\n"
    lines = text.decode("utf-8", "surrogateescape").split("\n")
    first = re.fullmatch(r"gray-parameters (\d+)", lines[0])
    if not first:
        raise ValueError("is not a file of gray parameters")
    if int(first.group(1)) > FORMAT_VERSION:
        raise ValueError(f"has format version {first.group(1)}, this package knows up to {FORMAT_VERSION}")
    end = re.fullmatch(rb"end (\d+) ([0-9a-f]{16})", last)
    if not end or text[-1:] != b"\n" or int(end.group(2), 16) != fnv(body):
        raise ValueError("is cut off or was changed by hand: its last line does not fit")
    for line, (label, value) in zip(lines[1:5], here):
        stored = line[len(label) + 1:]
        if stored != value:
            raise ValueError(f"was measured elsewhere: {label} {stored}, here {value}")
    try:
        found = dict(parse_line(line, source) for line in lines[5:-2] if line and not line.startswith("#"))
    except ValueError:
        raise ValueError("has a line that is no parameter") from None
    if len(found) != int(end.group(1)):
        raise ValueError("has another number of parameters than its last line says")
    return found


def read_file(path: str, here: List[Tuple[str, str]], source: str, problems: List[str]) -> Dict[str, Parameter]:
    try:
        with open(path, "rb") as stream:
            return decode(stream.read(), here, source)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        problems.append(f"{path} cannot be read ({error.strerror}) and is not used")
    except ValueError as error:
        problems.append(f"{path} {error} and is not used")
    return {}


def user_folder() -> Optional[str]:
    data = os.environ.get("XDG_DATA_HOME", "")
    if data.startswith("/"):
        return f"{data}/gray"
    home = os.environ.get("HOME", "")
    return f"{home}/.local/share/gray" if home.startswith("/") else None


def read_environment(found: Dict[str, Parameter], problems: List[str]) -> Dict[str, Parameter]:
    """A variable stands for every device."""
    keys = {VARIABLE_PREFIX + key.upper().replace(".", "_"): key for key in {*SET_BY_HAND, *(name.partition("@")[0] for name in found)}}
    units = {name.partition("@")[0]: one.unit for name, one in found.items()}
    decided: Dict[str, Parameter] = {}
    for variable, text in os.environ.items():
        if not variable.startswith(VARIABLE_PREFIX):
            continue
        if variable not in keys:
            problems.append(f"{one_line(variable)} is set, but there is no such parameter: it is not used")
        elif not re.fullmatch(r"\d+(\.\d*)?([eE][-+]?\d+)?", text):
            problems.append(f"{variable} is '{one_line(text)}', which is no plain number: it is not used")
        else:
            key = keys[variable]
            decided[key] = Parameter(float(text), SET_BY_HAND.get(key) or units[key], None, 0, "environment", "-", "environment")
    return decided


def params(path: Optional[Path] = None) -> Params:
    """The figures that microbench has measured of this host, and those that variables GRAY_PARAM_... set.

    With `path` the figures of the device that holds it stand under their plain names as well: params("/data")["disk.miss_ns"]. A variable wins over the user's file
    and that over the host's. What nobody has measured is not there: nothing is guessed, and an empty answer says that microbench has not run here.

    Raises OSError with errno and path where `path` cannot be opened. A file that cannot be used is no error: see Params.problems. Any number of threads.
    """
    device = _device.identity(path) if path is not None else ""
    here = fingerprint()
    file_name = "host-" + re.sub("[/:]", "-", here[0][1]) + ".params"
    problems: List[str] = []
    folder = user_folder()
    user = read_file(f"{folder}/{file_name}", here, "user", problems) if folder else {}
    host = read_file(f"{HOST_FOLDER}/{file_name}", here, "host", problems)
    found = {**host, **user}
    if device:
        for source in (host, user):  # a source is asked for the device first and for the plain name next, before the next source is
            for name, one in source.items():
                key, _, of_device = name.partition("@")
                if of_device in ("", device) and (of_device or f"{key}@{device}" not in source):
                    found[key] = one
    decided = read_environment(found, problems)
    for name in list(found):
        key = name.partition("@")[0]
        if key in decided:
            found[name] = decided[key]
    found.update(decided)
    return Params(dict(sorted(found.items())), device, tuple(problems))
