#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""refresh_edits: tests that no change in a directory is lost by a refresh that is interrupted, or that runs at the same time.

Usage: refresh_edits.py GBP KILL_AT FOLDER TREES [SEED]

Each tree is a random directory. gbp -refresh is killed at a random stop of kill_at, or is stopped there. Then edits append, replace, add,
delete, rename, link and change modes: by name, by the directory that was opened before, and by open files. Then --rollback or
--resume runs, which is sometimes killed as well and followed by more edits. Every written text has a mark of its own. In the end
each mark must be in the directory, or beside it in a place that gbp has named with a status other than 0. Each name must be as it
was left, or must be named. Without edits through the old directory, and after one death, everything must be in the directory, with
status 0 and nothing beside it. Prints what it counted. The status is 1 on the first breach, and the seed is printed.
"""
import collections
import hashlib
import os
import pathlib
import random
import shutil
import stat
import subprocess
import sys

LONG_AGO_NS = 10 ** 18
SECONDS_MAX = 60
PAUSED = "paused and gone on"
counts = collections.Counter()


class Breach(Exception):
    pass


def state_of(path):
    """All properties of a name that may not change by themselves. A folder's link is followed, because it stands for the folder."""
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        text = os.readlink(path)
        # When gbp was killed on its way back, the directory may have the link under a name that was given up.
        if ".gray-refresh/" not in text or not os.path.exists(path):
            return ("link", text)
        status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        return ("folder", tuple((name, state_of(f"{path}/{name}")) for name in sorted(os.listdir(path))))
    if not stat.S_ISREG(status.st_mode):
        return ("other", status.st_mode)
    with open(path, "rb") as stream:
        data = stream.read()
    kept = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    return ("file", hashlib.sha256(data).hexdigest(), status.st_mode, status.st_mtime_ns, str(sorted(kept.items())))


def all_files(top):
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            if stat.S_ISREG(os.lstat(path).st_mode):
                yield path


class Tree:
    def __init__(self, gbp, kill_at, top, seed):
        self.gbp, self.kill_at, self.top = gbp, kill_at, top
        self.random = random.Random(seed)
        self.d = f"{top}/d"
        self.wanted = {}  # name: its state; what is not there has None
        self.loose = set()  # names whose state is not known any more: only their marks are looked for
        self.marks = {}  # mark: the name it was written under
        self.removed = []  # names that were removed only from the old directory
        self.held = []  # open files, to be appended to in the end: (descriptor, mark)
        self.deaths = 0
        self.is_old_edited = self.is_odd = self.are_names_changed = self.is_edited = False
        self.story = []  # what happened, for a breach
        self.make()
        self.old = os.open(self.d, os.O_RDONLY | os.O_DIRECTORY)

    def make(self):
        os.mkdir(self.d)
        files = [f"m{i}" for i in range(self.random.randint(2, 7))]
        for name in files:
            with open(f"{self.d}/{name}", "wb") as stream:
                stream.write(self.random.randbytes(self.random.choice([0, 10, 3000, 9000])))
            if self.random.random() < 0.3:
                os.setxattr(f"{self.d}/{name}", "user.kind", name.encode())
            os.chmod(f"{self.d}/{name}", self.random.choice([0o644, 0o600, 0o755]))
        if self.random.random() < 0.5:
            os.link(f"{self.d}/m0", f"{self.d}/second name")
        if self.random.random() < 0.4:
            os.symlink("nowhere", f"{self.d}/link")
        if self.random.random() < 0.3:
            os.mkfifo(f"{self.d}/fifo")
        for i in range(self.random.choice([0, 0, 1, 2])):
            os.mkdir(f"{self.d}/sub{i}")
            pathlib.Path(f"{self.d}/sub{i}/deep").write_text("deep")
        for name in [*os.listdir(self.d), ""]:
            os.utime(f"{self.d}/{name}", ns=(LONG_AGO_NS, LONG_AGO_NS), follow_symlinks=False)
        self.mode = stat.S_IMODE(os.stat(self.d).st_mode)
        self.wanted = {name: state_of(f"{self.d}/{name}") for name in os.listdir(self.d)}
        self.first_names = set(self.wanted)

    def mark(self, name):
        mark = f"<{len(self.marks)}:{self.random.getrandbits(64):016x}>"
        self.marks[mark] = name
        return mark.encode()

    # The edits. They use descriptors that do not wait for a lease. An edit that the kernel refuses then counts as not made.

    def append(self, path, name, is_held=False):
        try:
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=self.old if path == name else None)
        except BlockingIOError:
            return False
        os.write(file, self.mark(name))
        if is_held:
            self.held.append((file, self.mark(name)))
        else:
            os.close(file)
        return True

    def discard_marks(self, path):
        """The file is thrown away, so its content need not survive."""
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return
        data = pathlib.Path(path).read_bytes()
        for mark in list(self.marks):
            if mark.encode() in data:
                del self.marks[mark]

    def edit_live(self):
        """Makes one change by name. Returns the names that it concerns."""
        # The mark of a held file comes later, and would be lost with all of the file's names. So the names of a held file are left alone.
        held = {os.fstat(file).st_ino for file, _ in self.held}
        names = [name for name in sorted(os.listdir(self.d)) if os.lstat(f"{self.d}/{name}").st_ino not in held]
        regular = [name for name in names if stat.S_ISREG(os.lstat(f"{self.d}/{name}").st_mode)]
        folders = [name for name in names if os.path.isdir(f"{self.d}/{name}")]
        new = f"new{self.random.getrandbits(32):08x}"
        kind = self.random.choice(["append", "append", "replace", "add", "delete", "delete", "rename", "rename", "over", "mode", "xattr", "time",
                                   "link", "folder", "deep", "rename folder", "into folder", "directory", "hold"])
        name = self.random.choice(regular) if regular else None
        path = f"{self.d}/{name}"
        if kind in ("append", "hold") and name:
            if not self.append(path, name, kind == "hold"):
                return []
            same = [other for other in names if os.path.samestat(os.lstat(f"{self.d}/{other}"), os.lstat(path))]
            if kind == "hold":  # the text written at the end is in all names of the file, also in folders
                inode = os.lstat(path).st_ino
                self.loose.update(same, (folder for folder in folders if any(os.lstat(file).st_ino == inode for file in all_files(f"{self.d}/{folder}"))))
            return same
        if kind == "replace" and name:
            pathlib.Path(f"{self.top}/elsewhere").write_bytes(pathlib.Path(path).read_bytes() + self.mark(name))
            os.rename(f"{self.top}/elsewhere", path)
            return [name]
        if kind == "add":
            pathlib.Path(f"{self.d}/{new}").write_bytes(self.mark(new))
            return [new]
        if kind == "delete" and name:
            self.discard_marks(path)
            os.unlink(path)
            return [name]
        if kind == "rename" and name:
            os.rename(path, f"{self.d}/{new}")
            return [name, new]
        if kind == "over" and len(regular) > 1:
            other = self.random.choice(regular)
            if not os.path.samefile(path, f"{self.d}/{other}"):
                self.discard_marks(f"{self.d}/{other}")
                os.rename(path, f"{self.d}/{other}")
                return [name, other]
        if kind in ("mode", "xattr", "time") and name:
            if kind == "mode":
                os.chmod(path, self.random.choice([0o400, 0o640, 0o700]))
            if kind == "xattr":
                os.setxattr(path, "user.mark", self.mark(name)[:3])
                self.marks.popitem()
            if kind == "time":
                os.utime(path, ns=(LONG_AGO_NS, LONG_AGO_NS + self.random.getrandbits(40)))
            return [other for other in names if os.path.samestat(os.lstat(f"{self.d}/{other}"), os.lstat(path))]
        if kind == "link" and name:
            os.link(path, f"{self.d}/{new}")
            return [name, new]
        if kind == "folder":
            os.mkdir(f"{self.d}/{new}")
            pathlib.Path(f"{self.d}/{new}/deep").write_bytes(self.mark(new))
            return [new]
        if folders:
            folder = self.random.choice(folders)
            if kind == "deep":
                with open(f"{self.d}/{folder}/deep{new}", "wb") as stream:
                    stream.write(self.mark(folder))
                return [folder]
            if kind == "rename folder":
                os.rename(f"{self.d}/{folder}", f"{self.d}/{new}")
                return [folder, new]
            if kind == "into folder" and name:
                os.rename(path, f"{self.d}/{folder}/{new}")
                return [name, folder]
        if kind == "directory":
            self.mode = self.random.choice([0o700, 0o750, 0o711])
            os.chmod(self.d, self.mode)
            return [""]
        return []

    def edit_by_name(self):
        before = {name: state_of(f"{self.d}/{name}") for name in os.listdir(self.d)}
        concerned = self.edit_live()
        self.story.append(f"edit {concerned}")
        if not concerned:
            return
        self.is_edited = True
        counts["edits by name"] += 1
        for name in concerned:
            if name == "":
                continue
            # When gbp was killed twice, the directory may not have the earlier change yet. Then there are two versions of the name.
            if before.get(name) != self.wanted.get(name):
                self.loose.add(name)
            path = f"{self.d}/{name}"
            now = state_of(path) if os.path.lexists(path) else None
            if (before.get(name) is None) != (now is None):
                self.are_names_changed = True
            self.wanted[name] = now
        # While a change is on its way, another name of the file may be only in the sibling.
        inodes = {os.lstat(f"{self.d}/{name}").st_ino for name in concerned if os.path.lexists(f"{self.d}/{name}")}
        sibling = f"{self.top}/.d.gray-refresh"
        if os.path.isdir(sibling):
            self.loose.update(name for name in os.listdir(sibling) if os.lstat(f"{sibling}/{name}").st_ino in inodes)
        for name in os.listdir(self.d):  # a file in a folder may be one of several names, too
            if name not in concerned and before[name] == self.wanted.get(name):
                self.wanted[name] = state_of(f"{self.d}/{name}")

    def edit_by_old(self):
        """Makes one change by the directory that was open before: the old directory, whatever its name is now."""
        self.is_old_edited = True
        counts["edits by the old directory"] += 1
        names = [name for name in os.listdir(self.old)
                 if stat.S_ISREG(os.lstat(name, dir_fd=self.old).st_mode) and not name.startswith(".gray-doomed-")]
        name = self.random.choice(names) if names else None
        kind = self.random.choice(["append", "add", "delete", "mode", "hold"])
        try:
            if kind == "add":
                name = f"old{self.random.getrandbits(32):08x}"
                file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, dir_fd=self.old)
                os.write(file, self.mark(name))
                os.close(file)
            elif name is None:
                return
            elif kind == "delete" and not self.held:
                path = f"/proc/self/fd/{self.old}/{name}"
                self.discard_marks(path)
                os.unlink(name, dir_fd=self.old)
                self.removed.append(name)
            elif kind == "mode":
                os.chmod(name, 0o620, dir_fd=self.old)
            else:
                self.append(name, name, kind == "hold")
        except FileNotFoundError:  # the old directory was removed meanwhile
            return
        self.story.append(f"by the old directory: {kind} {name}")
        inode = os.lstat(name, dir_fd=self.old).st_ino if name in os.listdir(self.old) else None
        self.loose.add(name)
        self.loose.update(other for other in os.listdir(self.old) if os.lstat(other, dir_fd=self.old).st_ino == inode)
        self.loose.update(other for other in ("m0", "second name") if name in ("m0", "second name"))

    def edit(self, is_old_allowed):
        for _ in range(self.random.randint(1, 5)):
            if is_old_allowed and self.random.random() < 0.3:
                self.edit_by_old()
            else:
                self.edit_by_name()

    # What gbp does.

    def command(self, way):
        return [self.gbp, "-refresh", self.d, "--force", way]

    def run(self, way):
        return subprocess.run(self.command(way), capture_output=True, text=True, timeout=SECONDS_MAX, check=False, errors="replace")

    def run_killed(self, way, stop):
        """Returns None when gbp was killed."""
        done = subprocess.run([self.kill_at, str(stop), *self.command(way)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        self.story.append(f"{way}: {done.stdout.strip()} {done.stderr}")
        if done.returncode == 0:
            self.deaths += 1
            counts["deaths"] += 1
            return None
        done.returncode = int(done.stdout.split()[-1])
        return done

    def run_paused(self, way, stop, is_old_allowed):
        # Without a buffer: communicate() would not see what readline() has read ahead.
        with subprocess.Popen([self.kill_at, "--pause", str(stop), *self.command(way)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, bufsize=0) as process:
            first = process.stdout.readline()
            if first == b"paused\n":
                counts["pauses"] += 1
                self.edit(is_old_allowed)
            out, err = process.communicate(b"\n", timeout=SECONDS_MAX)
            out, err = (first + out).decode(errors="replace"), err.decode(errors="replace")
            self.story.append(f"{way} paused at {stop}: {out.strip()} {err}")
            done = subprocess.CompletedProcess([], int((out or "0").split()[-1]), out, err)
            return done

    def count_stops(self, way):
        copy = f"{self.top}/count"
        os.mkdir(copy)
        subprocess.run(["cp", "-a", self.d, f"{copy}/d"], check=True)
        done = subprocess.run([self.kill_at, "0", self.gbp, "-refresh", f"{copy}/d", "--force", way], capture_output=True, text=True,
                              timeout=SECONDS_MAX, check=False)
        shutil.rmtree(copy)
        if " status 0" not in done.stdout:
            raise Breach(f"it fails by itself: {done.stdout} {done.stderr}")
        return int(done.stdout.split("stops ")[1].split()[0])

    def go(self):
        is_old_allowed = self.random.random() < 0.3
        stops = self.count_stops("--apply")
        # A late stop is more likely than an early one, because the program's start and the copying are the same every time.
        first = self.random.choice([1, stops // 2, stops * 2 // 3])
        stop = self.random.randint(first, stops)
        said = ""
        if self.random.random() < 0.4:
            done = self.run_paused("--apply", stop, is_old_allowed)
            said += done.stderr
            if "use --resume or --rollback" not in said:
                return self.check(done.returncode, said, PAUSED)
        else:
            self.run_killed("--apply", stop)
            self.edit(is_old_allowed)
        while True:
            way = self.random.choice(["--rollback", "--resume"])
            choice = self.random.random()
            if choice < 0.3 and self.deaths < 3:
                done = self.run_killed(way, self.random.randint(150, 1200))
                if done is None:
                    if self.random.random() < 0.6:
                        self.edit(is_old_allowed)
                    continue
            elif choice < 0.5:
                self.is_odd = True
                done = self.run_paused(way, self.random.randint(150, 1200), is_old_allowed)
            else:
                done = self.run(way)
            if "only --resume is left" in done.stderr:
                continue
            said += done.stderr
            return self.check(done.returncode, said, way)

    # What must be true.

    def check(self, status, said, when):
        if status not in (0, 1):
            raise Breach(f"{when} dies: status {status}, {said}")
        for file, mark in self.held:
            os.write(file, mark)
            os.close(file)
        os.close(self.old)
        sibling = f"{self.top}/.d.gray-refresh"
        places = {path: pathlib.Path(path).read_bytes() for top in (self.d, sibling) for path in all_files(top)}
        for mark, name in self.marks.items():
            found = [path for path, data in places.items() if mark.encode() in data]
            if not found:
                raise Breach(f"{when}: lost what was written to {name}: status {status}, {said}")
            if not any(path.startswith(self.d) for path in found):
                if status == 0 or not any(f"'{path}'" in said or f"'{os.path.dirname(path)}'" in said for path in found):
                    raise Breach(f"{when}: {found} is not named: status {status}, {said}")
                counts["marks kept in the sibling"] += 1
        now = {name: state_of(f"{self.d}/{name}") for name in os.listdir(self.d)}
        for name in {*now, *self.wanted}:
            if now.get(name) == self.wanted.get(name) or name in self.loose:
                continue
            if status == 0 or f"/{name}'" not in said:
                raise Breach(f"{when}: {name} is {now.get(name)} and not {self.wanted.get(name)}: status {status}, {said}")
        for name in self.removed:
            if name in now and self.wanted.get(name) is not None and f"/{name}'" not in said and name not in self.loose:
                raise Breach(f"{when}: {name} is back: status {status}, {said}")
        if stat.S_IMODE(os.stat(self.d).st_mode) != self.mode and "owner, mode" not in said:
            raise Breach(f"{when}: the directory's mode is lost: {said}")
        time_ns = os.stat(self.d).st_mtime_ns
        # A name that came and went is no lasting change: the time is set back as if only gbp had moved files.
        if self.are_names_changed and set(now) != self.first_names and time_ns == LONG_AGO_NS:
            raise Breach(f"{when}: the directory's time is from before the change")
        if not self.is_edited and not self.is_old_edited and time_ns != LONG_AGO_NS:
            raise Breach(f"{when}: the directory has another time")
        left = [name for name in os.listdir(self.top) if name != "d"]
        if status == 0 and left or not set(left) <= {".d.gray-refresh"}:
            raise Breach(f"{when}: there is still {left}: status {status}, {said}")
        if status != 0:
            counts["ends with status 1"] += 1
            if self.deaths <= 1 and not self.is_old_edited and not self.is_odd and not self.held and (left or "still there" in said):
                raise Breach(f"{when}: one death, and yet status {status}: {said}")


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    gbp, kill_at, folder, trees = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    for number in range(seed, seed + trees):
        top = f"{folder}/tree"
        shutil.rmtree(top, ignore_errors=True)
        os.mkdir(top)
        tree = Tree(gbp, kill_at, top, number)
        try:
            tree.go()
        except (Breach, OSError) as breach:
            sys.exit("\n".join([*tree.story, f"seed {number}: {breach}"]))
        counts["trees"] += 1
    shutil.rmtree(f"{folder}/tree", ignore_errors=True)
    print(", ".join(f"{count} {what}" for what, count in counts.items()) + ": nothing was lost")


if __name__ == "__main__":
    main()
