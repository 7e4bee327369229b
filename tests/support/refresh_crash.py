#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""refresh_crash: tests that a directory under refresh is complete at every moment, whenever gbp is killed or the power is cut.

Usage: refresh_crash.py kill GBP KILL_AT FOLDER [STEP]     kills gbp -refresh before and after its system calls, all or each STEPth
       refresh_crash.py check FOLDER RECORD               compares FOLDER/d with RECORD (for kill_at --hook)
       refresh_crash.py make FOLDER RECORD                makes FOLDER/d, and RECORD with its content

After each death the directory must have every name with its data, owner, mode, time, attributes and links. Then --resume and
--rollback, in turn, must finish: the directory must be complete, and nothing may be left beside it. Prints what it counted. The
status is 1 on the first breach.
"""
import hashlib
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys

FILES = {"a": 100, "b": 5000, "c": 12288}


def make(folder):
    top = folder / "d"
    (top / "sub").mkdir(parents=True)
    for name, size in FILES.items():
        (top / name).write_bytes(hashlib.sha256(name.encode()).digest() * (size // 32 + 1))
    (top / "sub" / "deep").write_bytes(b"deep")
    with open(top / "hole", "wb") as stream:
        stream.write(b"start")
        stream.truncate(1 << 20)
        stream.seek(1 << 19)
        stream.write(b"middle")
    os.link(top / "a", top / "second name of a")
    os.symlink("nowhere", top / "link")
    os.mkfifo(top / "fifo")
    os.chmod(top / "b", 0o4751)
    os.chmod(top / "c", 0o400)
    try:
        os.setxattr(top / "c", "user.kind", b"kept")
    except OSError:
        pass
    for number, name in enumerate(["a", "b", "c", "hole", "sub", ""]):
        os.utime(top / name, ns=(10 ** 18 + number, 10 ** 18 + 123456789 + number))


def facts(path, follow=False):
    """What must not change of one name. With `follow`, through the link that stands for a folder meanwhile."""
    status = os.stat(path, follow_symlinks=follow)
    kind = stat.S_IFMT(status.st_mode)
    known = [kind, stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid]
    if kind == stat.S_IFREG:
        known += [status.st_size, status.st_mtime_ns, status.st_nlink, hashlib.sha256(path.read_bytes()).hexdigest(),
                  {name: os.getxattr(path, name).hex() for name in os.listxattr(path)}]
    if kind == stat.S_IFLNK:
        known.append(os.readlink(path))
    return known


def record(top):
    found = {"": facts(top), "sub": facts(top / "sub", follow=True), "sub/deep": facts(top / "sub" / "deep")}
    for name in sorted(os.listdir(top)):
        if name != "sub":
            found[name] = facts(top / name)
    found["same"] = (top / "a").stat().st_ino == (top / "second name of a").stat().st_ino
    return json.loads(json.dumps(found))


def check(top, wanted, when):
    try:
        found = record(top)
    except OSError as error:
        sys.exit(f"{when}: {error}")
    if found != wanted:
        differing = {name: (wanted.get(name), found.get(name)) for name in {*wanted, *found} if wanted.get(name) != found.get(name)}
        sys.exit(f"{when}: {differing}")


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def kill_everywhere(gbp, kill_at, folder, step):
    refresh = [gbp, "-refresh", folder / "d", "--force", "--apply"]
    stops = deaths = 0
    calls = set()
    template = folder / "template"
    make(template)
    while True:
        stops += step
        shutil.rmtree(folder / "d", ignore_errors=True)
        run("cp", "-a", template / "d", folder / "d")
        wanted = record(folder / "d")
        died = run(kill_at, stops, *refresh)
        if died.returncode == 1:
            if " status 0" not in died.stdout:
                sys.exit(f"the refresh fails by itself: {died.stdout} {died.stderr}")
            break
        deaths += 1
        calls.add(died.stdout.split()[-1])
        check(folder / "d", wanted, f"killed at stop {stops}")
        way = "--resume" if (stops // step) % 2 else "--rollback"
        ended = run(gbp, "-refresh", folder / "d", "--force", way)
        if ended.returncode != 0 and "only --resume is left" in ended.stderr:
            ended = run(gbp, "-refresh", folder / "d", "--force", "--resume")
        if ended.returncode != 0:
            sys.exit(f"killed at stop {stops}: {way} fails: {ended.stderr}")
        check(folder / "d", wanted, f"killed at stop {stops}, then {way}")
        if not (folder / "d" / "sub").is_dir() or (folder / "d" / "sub").is_symlink():
            sys.exit(f"killed at stop {stops}, then {way}: the folder inside is not one")
        left = [name for name in os.listdir(folder) if name not in ("d", "template", "lost+found")]
        if left:
            sys.exit(f"killed at stop {stops}, then {way}: there is still {left}")
    check(folder / "d", wanted, "not killed")
    print(f"killed at {deaths} of {stops - step} stops, in {len(calls)} kinds of system calls: the directory was whole each time")


def main():
    action = sys.argv[1] if len(sys.argv) > 3 else ""
    if action == "make":
        make(pathlib.Path(sys.argv[2]))
        pathlib.Path(sys.argv[3]).write_text(json.dumps(record(pathlib.Path(sys.argv[2]) / "d")))
    elif action == "check":
        wanted = json.loads(pathlib.Path(sys.argv[3]).read_text())
        check(pathlib.Path(sys.argv[2]) / "d", wanted, f"after call {os.environ.get('GRAY_CALL', '?')}")
    elif action == "kill":
        kill_everywhere(sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4]), int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
